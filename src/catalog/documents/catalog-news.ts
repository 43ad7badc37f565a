import type { CatalogChange, CatalogWrite } from '../../store/index.ts'
import type { StreamIndex } from '../index/stream-index.ts'

/** What was committed about components, streams and folders of an organization. */
export interface CatalogNews {
  readonly orgUid: string
  /** Components that were made, changed or deleted, or of which a stream was. */
  readonly componentUids: ReadonlySet<string>
  readonly hasFolders: boolean
}

/** Called with commits once the index has followed. Nobody waits for it. */
export interface CatalogListener {
  /** Asked first: what nobody hears is not gathered. */
  isListening(): boolean
  note(news: CatalogNews): void
}

/** Calls listeners with the subjects of commits. */
export class CatalogNewsListeners {
  readonly #listeners: CatalogListener[] = []

  add(listener: CatalogListener): void {
    this.#listeners.push(listener)
  }

  /**
   * Reads what writes are about while the index knows what they delete; the returned function notifies
   * it, once they are made.
   */
  gather(writes: readonly (CatalogWrite | CatalogChange)[], index: StreamIndex): () => void {
    if (!this.#isHeard) return () => {}
    const news = newsOf(writes, index)
    return () => {
      for (const one of news) this.#notify(one)
    }
  }

  get #isHeard(): boolean {
    return this.#listeners.some((listener) => listener.isListening())
  }

  #notify(news: CatalogNews): void {
    for (const listener of this.#listeners) if (listener.isListening()) listener.note(news)
  }
}

function newsOf(
  writes: readonly (CatalogWrite | CatalogChange)[],
  index: StreamIndex,
): CatalogNews[] {
  const byOrg = new Map<string, { componentUids: Set<string>; hasFolders: boolean }>()
  const of = (orgUid: string) => {
    return byOrg.getOrInsertComputed(orgUid, () => ({
      componentUids: new Set<string>(),
      hasFolders: false,
    }))
  }
  for (const write of writes) {
    const { orgUid, kind } = write
    if ('op' in write && write.op === 'expect') continue
    if (kind === 'component_folder') of(orgUid).hasFolders = true
    for (const uid of componentsOf(write, index)) of(orgUid).componentUids.add(uid)
  }
  return [...byOrg].map(([orgUid, about]) => ({ orgUid, ...about }))
}

/** The components that a write is about. */
function componentsOf(write: CatalogWrite | CatalogChange, index: StreamIndex): readonly string[] {
  const { orgUid, kind, uid } = write
  if ('op' in write && write.op === 'create') return write.uids
  if (kind === 'component') return [uid]
  if (kind !== 'stream') return []
  if ('componentUid' in write) return [write.componentUid]
  if ('parentUid' in write && write.parentUid) return [write.parentUid]
  const handle = index.streamByUid(orgUid, uid)
  return handle === 0 ? [] : [index.componentOf(handle).uid]
}
