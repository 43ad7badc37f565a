import type { CatalogDocument, DocumentKey } from '../store/index.ts'

/** The documents used last, at most so many; the one not used for longest goes first. */
export class DocumentCache {
  readonly #documents = new Map<string, CatalogDocument>()
  readonly #countMax: number

  constructor(countMax: number) {
    this.#countMax = countMax
  }

  get(key: DocumentKey): CatalogDocument | undefined {
    const text = textOf(key)
    const found = this.#documents.get(text)
    if (found === undefined) return undefined
    this.#documents.delete(text)
    this.#documents.set(text, found)
    return found
  }

  /** Keeps a document unless a newer revision of it is kept. */
  put(document: CatalogDocument): void {
    const text = textOf(document)
    const known = this.#documents.get(text)
    if (known !== undefined && known.revision > document.revision) return
    this.#documents.delete(text)
    this.#documents.set(text, document)
    if (this.#documents.size <= this.#countMax) return
    for (const oldest of this.#documents.keys()) {
      this.#documents.delete(oldest)
      break
    }
  }

  delete(key: DocumentKey): void {
    this.#documents.delete(textOf(key))
  }
}

function textOf({ orgUid, kind, uid }: DocumentKey): string {
  return `${kind} ${uid} ${orgUid}`
}
