import { BoundedCache } from '../../base/index.ts'
import type { CatalogDocument, DocumentKey } from '../../store/index.ts'

/** The documents used last, at most so many, each in its newest revision. */
export class DocumentCache {
  readonly #cache: BoundedCache<string, CatalogDocument>
  #generation = 0

  constructor(countMax: number) {
    this.#cache = new BoundedCache(countMax)
  }

  /** Rises whenever a document is forgotten: what was read from the store before that may be stale. */
  get generation(): number {
    return this.#generation
  }

  get(key: DocumentKey): CatalogDocument | undefined {
    return this.#cache.get(textOf(key))
  }

  /** Keeps a document unless a newer revision of it is kept. */
  put(document: CatalogDocument): void {
    const text = textOf(document)
    const known = this.#cache.get(text)
    if (known !== undefined && known.revision > document.revision) return
    this.#cache.set(text, document)
  }

  delete(key: DocumentKey): void {
    this.#generation += 1
    this.#cache.delete(textOf(key))
  }
}

function textOf({ orgUid, kind, uid }: DocumentKey): string {
  return `${kind} ${uid} ${orgUid}`
}
