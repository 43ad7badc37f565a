/** Devices that sign on at the same time, each with a call of its own, made together: a commit costs more than a device. */
import { Refusal } from '../../base/index.ts'
import { CatalogConflict, type StreamHandle } from '../../store/index.ts'

/** What is to be made: each component once, each stream once in its component. */
export interface WantedFleet {
  readonly compIds: readonly string[]
  /** How many streams each component gets. */
  readonly streamCounts: readonly number[]
  /** Component by component. */
  readonly streamIds: readonly string[]
  /** The places of their types in VALUE_TYPES. */
  readonly valueCodes: readonly number[]
}

/** Makes a fleet in one commit; the handle of its first stream. Rejects with CatalogConflict when some of it is there. */
type MakeFleet = (orgUid: string, wanted: WantedFleet) => Promise<StreamHandle>

/** A fleet of so many streams is a commit worth by itself. */
const LONG_FLEET_STREAMS = 250
/** Gathered streams that wait for no commit before them: a millisecond or two of work in both threads. */
const GATHERED_STREAMS_MAX = 1_000

interface Waiting {
  readonly wanted: WantedFleet
  resolve(first: StreamHandle | undefined): void
  reject(error: unknown): void
}

/** What of one organization is gathered. */
interface Gathered {
  waiting: Waiting[]
  streams: number
  /** Commits under way. */
  running: number
}

/**
 * Gathers short fleets of an organization: those that come in one turn, and while a commit of others is under way,
 * share the next.
 */
export class FleetGatherer {
  readonly #make: MakeFleet
  readonly #gathered = new Map<string, Gathered>()

  constructor(make: MakeFleet) {
    this.#make = make
  }

  /** The handle of the first stream, once all are made; undefined, with nothing made, when some are there already. */
  make(orgUid: string, wanted: WantedFleet): Promise<StreamHandle | undefined> {
    if (wanted.streamIds.length >= LONG_FLEET_STREAMS) return this.#makeAlone(orgUid, wanted)
    return new Promise((resolve, reject) => {
      this.#add(orgUid, { wanted, resolve, reject })
    })
  }

  #add(orgUid: string, waiting: Waiting): void {
    const gathered = this.#gathered.get(orgUid) ?? { waiting: [], streams: 0, running: 0 }
    this.#gathered.set(orgUid, gathered)
    gathered.waiting.push(waiting)
    gathered.streams += waiting.wanted.streamIds.length
    if (gathered.streams >= GATHERED_STREAMS_MAX) this.#send(orgUid, gathered)
    else if (gathered.running === 0 && gathered.waiting.length === 1) {
      setImmediate(() => this.#send(orgUid, gathered))
    }
  }

  #send(orgUid: string, gathered: Gathered): void {
    const { waiting } = gathered
    if (waiting.length === 0) return
    gathered.waiting = []
    gathered.streams = 0
    gathered.running += 1
    const ended = (): void => {
      gathered.running -= 1
      if (gathered.running > 0) return
      // The next are on their way before those of this commit go on.
      if (gathered.waiting.length > 0) this.#send(orgUid, gathered)
      else this.#gathered.delete(orgUid)
    }
    this.#make(orgUid, together(waiting)).then(
      (first) => {
        ended()
        let handle = first
        for (const { wanted, resolve } of waiting) {
          resolve(handle)
          handle = (handle + wanted.streamIds.length) as StreamHandle
        }
      },
      (error: unknown) => {
        ended()
        this.#settleEach(orgUid, waiting, error)
      },
    )
  }

  /** What one of them cannot have must not keep the others from theirs: each is tried by itself then. */
  #settleEach(orgUid: string, waiting: readonly Waiting[], error: unknown): void {
    const mayBeOfOne =
      error instanceof CatalogConflict ||
      (error instanceof Refusal && error.code === 'quota_exceeded')
    for (const { wanted, resolve, reject } of waiting) {
      if (!mayBeOfOne) reject(error)
      else if (waiting.length > 1) this.#makeAlone(orgUid, wanted).then(resolve, reject)
      else if (error instanceof CatalogConflict) resolve(undefined)
      else reject(error)
    }
  }

  async #makeAlone(orgUid: string, wanted: WantedFleet): Promise<StreamHandle | undefined> {
    try {
      return await this.#make(orgUid, wanted)
    } catch (error) {
      if (error instanceof CatalogConflict) return undefined
      throw error
    }
  }
}

function together(waiting: readonly Waiting[]): WantedFleet {
  if (waiting.length === 1) return waiting[0].wanted
  const compIds: string[] = []
  const streamCounts: number[] = []
  const streamIds: string[] = []
  const valueCodes: number[] = []
  for (const { wanted } of waiting) {
    for (const id of wanted.compIds) compIds.push(id)
    for (const count of wanted.streamCounts) streamCounts.push(count)
    for (const id of wanted.streamIds) streamIds.push(id)
    for (const code of wanted.valueCodes) valueCodes.push(code)
  }
  return { compIds, streamCounts, streamIds, valueCodes }
}
