/** How far alerts are evaluated, as the catalog keeps it: a mark, and the streams in blocks. */
import type { StreamIndex } from '../../catalog/index.ts'
import type {
  CatalogStore,
  JsonObject,
  Lease,
  PutDocument,
  StreamHandle,
} from '../../store/index.ts'
import { NEVER, type WatchTable } from './watch-table.ts'

/** The kind of these documents. They speak of one store, by its handles and cursors, and are not moved to another. */
const PROGRESS_KIND = 'alert_progress'

/** Streams of one block, by their handles: some kilobytes, as a late sample makes its block be written. */
const BLOCK_HANDLES = 128
/** Blocks of one commit: about a megabyte. */
const BLOCKS_PER_COMMIT = 256

/** Up to where everything is evaluated. */
export interface Mark {
  /** Of touched spans. */
  readonly cursor: number
  /** When the mark was made: what came later arrived later. */
  readonly atMs: number
  /** How often a process began to evaluate. */
  readonly epoch: number
  /** Whether the process stopped right after the mark: nothing behind the mark is evaluated yet. */
  readonly isLast?: boolean
}

type Catalog = Pick<CatalogStore, 'get' | 'commit' | 'walk'>

const key = (uid: string) => ({ orgUid: '', kind: PROGRESS_KIND, uid })

/** The mark; undefined before the first. */
export async function readMark(catalog: Catalog): Promise<Mark | undefined> {
  const body = (await catalog.get(key('mark')))?.body
  return body as unknown as Mark | undefined
}

/** The write that keeps a mark. */
function markWrite(mark: Mark): PutDocument {
  const body = mark as unknown as JsonObject
  return { op: 'put', ...key('mark'), body, expectedRevision: 'any' }
}

interface Block {
  readonly handles: readonly number[]
  readonly lastTimes: readonly (number | null)[]
  readonly arrivals: readonly (number | null)[]
}

/** Reads how far the streams of a table were evaluated. */
export async function readEvaluated(catalog: Catalog, table: WatchTable): Promise<Set<number>> {
  const known = new Set<number>()
  for (let after: string | undefined; ; ) {
    const query = { orgUid: '', kind: PROGRESS_KIND, after, limit: BLOCKS_PER_COMMIT }
    const { documents, next } = await catalog.walk(query)
    for (const { uid, body } of documents) {
      if (uid === 'mark') continue
      const { handles, lastTimes, arrivals } = body as unknown as Block
      for (const [at, handle] of handles.entries()) {
        if (table.placeOf(handle) === 0) continue
        table.setLastTime(handle, lastTimes[at] ?? NEVER)
        table.noteKept(handle)
        table.setArrival(handle, arrivals[at] ?? NEVER)
        known.add(handle)
      }
    }
    if (next === undefined) return known
    after = next
  }
}

/** Keeps how far streams were evaluated, those that changed since the last time. */
export class ProgressBook {
  readonly #table: WatchTable
  readonly #index: StreamIndex
  readonly #dirty = new Set<number>()
  /** Blocks that are to be stored before the next samples are evaluated. */
  readonly #urgent = new Set<number>()

  constructor(table: WatchTable, index: StreamIndex) {
    this.#table = table
    this.#index = index
  }

  get isDirty(): boolean {
    return this.#dirty.size > 0
  }

  note(handle: StreamHandle): void {
    this.#dirty.add(Math.floor(handle / BLOCK_HANDLES))
  }

  /**
   * Notes that a late sample is newer than what the catalog knows to be evaluated: a replay would take it for one that
   * came in time.
   */
  noteLate(handle: StreamHandle): void {
    this.#urgent.add(Math.floor(handle / BLOCK_HANDLES))
  }

  clear(): void {
    this.#dirty.clear()
    this.#urgent.clear()
  }

  /** Stores the changed blocks, and then the mark: a crash in between repeats evaluation, which changes nothing. */
  async keep(catalog: Catalog, lease: Lease, mark: Mark): Promise<void> {
    await this.#store(catalog, lease, [...this.#dirty])
    await catalog.commit([markWrite(mark)], lease)
  }

  /** Stores the blocks of streams with late samples. They may be ahead of the mark. */
  async keepUrgent(catalog: Catalog, lease: Lease): Promise<void> {
    if (this.#urgent.size > 0) await this.#store(catalog, lease, [...this.#urgent])
  }

  async #store(catalog: Catalog, lease: Lease, dirty: readonly number[]): Promise<void> {
    for (let at = 0; at < dirty.length; at += BLOCKS_PER_COMMIT) {
      const some = dirty.slice(at, at + BLOCKS_PER_COMMIT)
      await catalog.commit(
        some.map((block) => this.#write(block)),
        lease,
      )
      for (const block of some) this.#noteStored(block)
    }
  }

  #noteStored(block: number): void {
    this.#dirty.delete(block)
    this.#urgent.delete(block)
    for (const handle of this.#handlesOf(block)) this.#table.noteKept(handle)
  }

  #handlesOf(block: number): number[] {
    const first = block * BLOCK_HANDLES
    const handles: number[] = []
    for (let handle = first; handle < first + BLOCK_HANDLES; handle += 1) {
      if (this.#table.placeOf(handle) !== 0 && this.#index.has(handle)) handles.push(handle)
    }
    return handles
  }

  #write(block: number): PutDocument {
    const handles = this.#handlesOf(block)
    const shown = (time: number) => (Number.isFinite(time) ? time : null)
    const body: Block = {
      handles,
      lastTimes: handles.map((handle) => shown(this.#table.lastTimeOf(handle))),
      arrivals: handles.map((handle) => shown(this.#table.arrivalOf(handle))),
    }
    return {
      op: 'put',
      ...key(`block-${block}`),
      body: body as unknown as JsonObject,
      expectedRevision: 'any',
    }
  }
}
