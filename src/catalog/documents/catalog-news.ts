import type { DocumentKey, PutFleet } from '../../store/index.ts'
import type { StreamIndex } from '../index/stream-index.ts'

/** What was committed about components, streams and folders of an organization. */
export interface CatalogNews {
  readonly orgUid: string
  /** Components that were made, changed or deleted, or of which a stream was. */
  readonly componentUids: ReadonlySet<string>
  readonly hasFolders: boolean
}

/** Who is told of commits once the index has followed; nobody waits for it. */
export interface CatalogListener {
  /** Asked first: what nobody hears is not gathered. */
  isListening(): boolean
  note(news: CatalogNews): void
}

/** A document that is about to be written, or was. */
type Written = DocumentKey & { readonly op?: string; readonly parentUid?: string }

/** Tells listeners what commits were about. */
export class CatalogNewsTeller {
  readonly #listeners: CatalogListener[] = []

  add(listener: CatalogListener): void {
    this.#listeners.push(listener)
  }

  /**
   * Reads what writes are about while the index knows what they delete; the answered function tells
   * it, once they are made.
   */
  gather(writes: readonly Written[], index: StreamIndex): () => void {
    if (!this.#isHeard) return () => {}
    const news = newsOf(writes, index)
    return () => {
      for (const one of news) this.#tell(one)
    }
  }

  /** Tells of a fleet that was made, which the index has. */
  tellFleet({ orgUid, compIds }: PutFleet, index: StreamIndex): void {
    if (!this.#isHeard) return
    const componentUids = new Set<string>()
    for (const compId of compIds) {
      const uid = index.resolveComponent(orgUid, compId)?.uid
      if (uid !== undefined) componentUids.add(uid)
    }
    this.#tell({ orgUid, componentUids, hasFolders: false })
  }

  get #isHeard(): boolean {
    return this.#listeners.some((listener) => listener.isListening())
  }

  #tell(news: CatalogNews): void {
    for (const listener of this.#listeners) if (listener.isListening()) listener.note(news)
  }
}

function newsOf(writes: readonly Written[], index: StreamIndex): CatalogNews[] {
  const byOrg = new Map<string, { componentUids: Set<string>; hasFolders: boolean }>()
  const of = (orgUid: string) => {
    const known = byOrg.get(orgUid) ?? { componentUids: new Set<string>(), hasFolders: false }
    byOrg.set(orgUid, known)
    return known
  }
  for (const { op, orgUid, kind, uid, parentUid } of writes) {
    if (op === 'expect') continue
    if (kind === 'component') of(orgUid).componentUids.add(uid)
    if (kind === 'component_folder') of(orgUid).hasFolders = true
    if (kind !== 'stream') continue
    const componentUid = parentUid ?? parentOf(index, orgUid, uid)
    if (componentUid !== undefined) of(orgUid).componentUids.add(componentUid)
  }
  return [...byOrg].map(([orgUid, about]) => ({ orgUid, ...about }))
}

function parentOf(index: StreamIndex, orgUid: string, uid: string): string | undefined {
  const handle = index.streamByUid(orgUid, uid)
  return handle === 0 ? undefined : index.componentOf(handle).uid
}
