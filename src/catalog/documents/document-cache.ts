import type { CatalogDocument, DocumentKey } from '../../store/index.ts'

/**
 * The documents used last, at most so many. Two halves: what is used moves to the young one; when
 * that is full, the old one goes and they change places.
 */
export class DocumentCache {
  #young = new Map<string, CatalogDocument>()
  #old = new Map<string, CatalogDocument>()
  readonly #halfMax: number

  constructor(countMax: number) {
    this.#halfMax = countMax / 2
  }

  get(key: DocumentKey): CatalogDocument | undefined {
    const text = textOf(key)
    const found = this.#young.get(text)
    if (found !== undefined) return found
    const older = this.#old.get(text)
    if (older !== undefined) this.#keep(text, older)
    return older
  }

  /** Keeps a document unless a newer revision of it is kept. */
  put(document: CatalogDocument): void {
    const text = textOf(document)
    const known = this.#young.get(text) ?? this.#old.get(text)
    if (known !== undefined && known.revision > document.revision) return
    this.#keep(text, document)
  }

  delete(key: DocumentKey): void {
    const text = textOf(key)
    this.#young.delete(text)
    this.#old.delete(text)
  }

  #keep(text: string, document: CatalogDocument): void {
    this.#old.delete(text)
    this.#young.set(text, document)
    if (this.#young.size < this.#halfMax) return
    this.#old = this.#young
    this.#young = new Map()
  }
}

function textOf({ orgUid, kind, uid }: DocumentKey): string {
  return `${kind} ${uid} ${orgUid}`
}
