/**
 * The bytes of files that each organization has, summed up from the samples that name them when they
 * are first asked for, and kept true from then on: so they are right after any crash. While they are
 * summed up, changes of that organization's files wait; otherwise only those of one stream take turns.
 */
import { type Clock, KeyedMutex, type Log, refuse } from '../base/index.ts'
import type { SampleStore, StreamHandle } from '../store/index.ts'
import { allOf, filesIn } from './files-in.ts'

interface FileUsageDeps {
  readonly store: Pick<SampleStore, 'range'>
  /** What an organization may have; undefined: no limit. */
  readonly bytesMax: number | undefined
  /** Every living stream that holds files. */
  readonly fileStreams: () => Iterable<StreamHandle>
  /** The organization of a living stream. */
  readonly orgOf: (handle: StreamHandle) => string | undefined
  readonly log: Pick<Log, 'warn'>
  /** Given where other processes store files too: what they store is counted after a while. */
  readonly sharedClock?: Pick<Clock, 'elapsed'>
}

/** How old a count may be where other processes store files too. */
const COUNT_MS_MAX = 60_000

/** Counting may use this fraction of the time. With many files, it runs less often. */
const COUNT_PARTS = 20

/** A stream that is gone from the catalog, and whose samples go. */
interface Departing {
  readonly orgUid: string
  readonly handle: StreamHandle
}

/** Reports that the files of a stream grew by `bytes`, which is negative when they shrank. */
type NoteBytes = (handle: StreamHandle, bytes: number) => void

/** What uploads hold of an organization's room until they have landed. */
export interface FileRoom extends Disposable {
  /** Adds `bytes` to the usage; refuses with `quota_exceeded`. */
  take(bytes: number): void
}

/** What is known of one organization. */
interface Count {
  bytes: number
  /** Whether `bytes` is what the samples say; a failed write leaves it open. */
  isKnown: boolean
  /** Until when it is taken for known, by the clock that all processes of the store share. */
  knownUntilMs: number
  /** Bytes of uploads under way. */
  reserved: number
  /** Changes under way. */
  changes: number
  counting: Promise<void> | undefined
  /** Called when the last change is over. */
  onQuiet: (() => void) | undefined
}

/** Counts the bytes of files by organization and holds uploads to the quota. */
export class FileUsage {
  readonly #deps: FileUsageDeps
  readonly #counts = new Map<string, Count>()
  readonly #departing = new Map<StreamHandle, string>()
  readonly #streams = new KeyedMutex<StreamHandle>()

  constructor(deps: FileUsageDeps) {
    this.#deps = deps
  }

  /** The bytes of all files in an organization's streams. */
  async bytesOf(orgUid: string): Promise<number> {
    const count = this.#countOf(orgUid)
    if (!this.#isKnown(count)) await (count.counting ?? this.#startCounting(orgUid, count))
    return count.bytes
  }

  /**
   * Room for an upload; refuses at once when there is none at all. Disposed of, it is given back. What
   * takes no more than the file that it replaces has room in any case.
   */
  async openRoom(orgUid: string, replacedBytes = 0): Promise<FileRoom> {
    const { bytesMax } = this.#deps
    if (bytesMax === undefined) return { take: () => {}, [Symbol.dispose]: () => {} }
    await this.bytesOf(orgUid)
    const count = this.#countOf(orgUid)
    let uploaded = 0
    let taken = 0
    const take = (bytes: number): void => {
      uploaded += bytes
      const more = Math.max(0, uploaded - replacedBytes) - taken
      if (more > 0 && count.bytes + count.reserved + more > bytesMax) refuseBytes(bytesMax)
      count.reserved += more
      taken += more
    }
    const isFull = count.bytes + count.reserved >= bytesMax
    if (isFull && replacedBytes === 0) refuseBytes(bytesMax)
    const giveBack = (): void => {
      count.reserved -= taken
      taken = 0
    }
    return { take, [Symbol.dispose]: giveBack }
  }

  /** Runs what changes files of streams, one change of a stream at a time, and records its results. */
  async change<T>(
    handles: readonly StreamHandle[],
    run: (note: NoteBytes) => Promise<T>,
  ): Promise<T> {
    return await this.#streams.run(handles, async () => {
      const orgs = new Map(handles.map((handle) => [handle, this.#orgOf(handle)]))
      const counts = [...new Set(orgs.values())].flatMap((orgUid) =>
        orgUid === undefined ? [] : [this.#countOf(orgUid)],
      )
      for (const count of counts) await beginChange(count)
      try {
        return await run((handle, bytes) => {
          const orgUid = orgs.get(handle)
          if (orgUid !== undefined) this.#countOf(orgUid).bytes += bytes
        })
      } catch (error) {
        // Whether the samples are there is open: they are asked when the bytes are next needed.
        for (const count of counts) count.isKnown = false
        throw error
      } finally {
        for (const count of counts) endChange(count)
      }
    })
  }

  /** Runs what lets the samples of deleted streams go; to be called as soon as they are deleted. */
  async whileDeparting<T>(streams: readonly Departing[], run: () => Promise<T>): Promise<T> {
    for (const { handle, orgUid } of streams) this.#departing.set(handle, orgUid)
    try {
      return await run()
    } finally {
      for (const { handle } of streams) this.#departing.delete(handle)
    }
  }

  #isKnown({ isKnown, knownUntilMs }: Count): boolean {
    const { sharedClock } = this.#deps
    return isKnown && (sharedClock === undefined || sharedClock.elapsed() < knownUntilMs)
  }

  #orgOf(handle: StreamHandle): string | undefined {
    return this.#departing.get(handle) ?? this.#deps.orgOf(handle)
  }

  #countOf(orgUid: string): Count {
    const known = this.#counts.get(orgUid)
    if (known !== undefined) return known
    const count: Count = {
      bytes: 0,
      isKnown: false,
      knownUntilMs: 0,
      reserved: 0,
      changes: 0,
      counting: undefined,
      onQuiet: undefined,
    }
    this.#counts.set(orgUid, count)
    return count
  }

  #startCounting(orgUid: string, count: Count): Promise<void> {
    const counting = this.#recount(orgUid, count).finally(() => {
      count.counting = undefined
    })
    count.counting = counting
    return counting
  }

  async #recount(orgUid: string, count: Count): Promise<void> {
    if (count.changes > 0) await new Promise<void>((resolve) => (count.onQuiet = resolve))
    const { fileStreams, sharedClock } = this.#deps
    const begunAtMs = sharedClock?.elapsed() ?? 0
    // Streams on their way out still count, as they are taken off when they are gone.
    const handles = new Set([...fileStreams(), ...this.#departing.keys()])
    let bytes = 0
    for (const handle of handles) {
      if (this.#orgOf(handle) === orgUid) bytes += await this.#bytesIn(handle)
    }
    count.bytes = bytes
    count.isKnown = true
    const endedAtMs = sharedClock?.elapsed() ?? 0
    count.knownUntilMs = endedAtMs + Math.max(COUNT_MS_MAX, (endedAtMs - begunAtMs) * COUNT_PARTS)
  }

  /** What cannot be read does not keep others from storing files. */
  async #bytesIn(handle: StreamHandle): Promise<number> {
    let bytes = 0
    try {
      for await (const { record } of filesIn(this.#deps.store, allOf(handle))) bytes += record.bytes
    } catch (error) {
      this.#deps.log.warn({ error, handle }, 'the files of a stream could not be counted')
    }
    return bytes
  }
}

async function beginChange(count: Count): Promise<void> {
  while (count.counting !== undefined) await count.counting
  count.changes += 1
}

function endChange(count: Count): void {
  count.changes -= 1
  if (count.changes > 0) return
  count.onQuiet?.()
  count.onQuiet = undefined
}

function refuseBytes(max: number): never {
  return refuse('quota_exceeded', { max, counted: 'bytes of files' })
}
