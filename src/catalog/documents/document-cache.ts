import { BoundedCache } from '../../base/index.ts'
import type { CatalogRecord, DocumentKey } from '../../store/index.ts'

/** A bounded cache of the documents, components and streams that were used last, each in its newest revision. */
export class DocumentCache {
  readonly #cache: BoundedCache<string, CatalogRecord>
  #generation = 0

  constructor(countMax: number) {
    this.#cache = new BoundedCache(countMax)
  }

  /** Rises whenever one is forgotten: what was read from the store before that may be stale. */
  get generation(): number {
    return this.#generation
  }

  get(key: DocumentKey): CatalogRecord | undefined {
    return this.#cache.get(textOf(key))
  }

  /** Keeps a record unless a newer revision of it is kept. */
  put(record: CatalogRecord): void {
    const text = textOf(record)
    const known = this.#cache.get(text)
    if (known !== undefined && known.revision > record.revision) return
    this.#cache.set(text, record)
  }

  delete(key: DocumentKey): void {
    this.#generation += 1
    this.#cache.delete(textOf(key))
  }
}

function textOf({ orgUid, kind, uid }: DocumentKey): string {
  return `${kind} ${uid} ${orgUid}`
}
