/**
 * When each component last sent samples: in the index, and in documents of the catalog. A document holds a shard of an
 * organization. Puts only change memory; a timer writes the shards that changed.
 */
import { type Clock, nextIteration } from '../../base/index.ts'
import type { StreamIndex } from '../../catalog/index.ts'
import {
  CatalogConflict,
  type CatalogDocument,
  type CatalogStore,
  type CatalogWrite,
  type SampleBatch,
  type SampleStore,
} from '../../store/index.ts'
import { packContacts, unpackContacts } from './contact-shard.ts'
import { PutRates } from './put-rates.ts'

const KIND = 'last_contact'

/** Documents of an organization. With 100,000 devices, each has 400 of them and some 12 kB. */
const SHARDS = 256

/** How far a kept contact may be behind: devices that send all the time cost one write of each shard a minute. */
const STEP_MS = 60_000

/** A device that seldom sends is kept after this time at the latest, where there are few. */
const EVERY_MS = 2_000

/** The same with very many: a crash forgets contacts of about so long. */
const EVERY_MS_MAX = 60_000

/**
 * Contacts that are written a second at most, on average. One that is due writes its whole shard: of 100,000 devices
 * that send at different times, every run would write all.
 */
const WRITTEN_PER_SECOND = 2_000

/** Shards of one commit: some hundred kB. */
const SHARDS_PER_COMMIT = 16

/** How old the knowledge of contacts with other processes may be. */
const FRESH_MS = 10_000

/** Streams whose latest samples are looked up at once. */
const STREAMS_PER_SLICE = 250

interface Deps {
  readonly catalogStore: Pick<CatalogStore, 'commit' | 'get' | 'list'>
  readonly clock: Clock
  readonly index: StreamIndex
  /** Whether other processes write to the same catalog. */
  readonly isShared: boolean
  readonly onFailure: (error: unknown) => void
  readonly samples: Pick<SampleStore, 'latest'>
}

/** Keeps the last contact of each component. */
export class LastContacts {
  /** How many samples devices send. */
  readonly rates: PutRates
  readonly #deps: Deps
  /** By organization, when its contacts were read, on the clock that never goes back. */
  readonly #readAtMs = new Map<string, number>()
  readonly #reading = new Map<string, Promise<void>>()
  #keeping: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined

  constructor(deps: Deps) {
    this.#deps = deps
    this.rates = new PutRates(deps.clock)
  }

  /** Notes a batch that was put. */
  readonly note = (batch: SampleBatch, orgUid: string): void => {
    const { index, clock } = this.#deps
    index.contacts.note(batch, clock.now())
    // The service writes derived streams one by one.
    if (batch.count > 0 && !index.isDerived(batch.handles[0])) this.rates.note(orgUid, batch.count)
  }

  /** Resolves when the contacts of an organization are known, those with other processes as of ten seconds ago. */
  async ensure(orgUid: string): Promise<void> {
    const { clock, isShared } = this.#deps
    const readAtMs = this.#readAtMs.get(orgUid)
    const isFresh = readAtMs !== undefined && clock.elapsed() - readAtMs < FRESH_MS
    if (isFresh || (readAtMs !== undefined && !isShared)) return
    const running = this.#reading.getOrInsertComputed(orgUid, () => this.#read(orgUid))
    await running.finally(() => this.#reading.delete(orgUid))
  }

  /** Writes contacts from time to time until closed. */
  start(): void {
    this.#keepAfter(EVERY_MS)
  }

  #keepAfter(pauseMs: number): void {
    this.#timer = setTimeout(() => {
      this.#keeping = this.keep(STEP_MS)
        .catch((error: unknown) => {
          this.#deps.onFailure(error)
          return 0
        })
        .then((written) => {
          if (this.#timer !== undefined) this.#keepAfter(pauseBetweenRuns(written))
        })
    }, pauseMs)
    this.#timer.unref()
  }

  /** Writes all contacts, and ends. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    await this.#keeping
    await this.keep(1).catch(this.#deps.onFailure)
  }

  /** Writes the shards with a contact that is so much later than the catalog has it. Returns how many contacts they have. */
  async keep(stepMs: number): Promise<number> {
    const { index } = this.#deps
    let written = 0
    for (const [orgUid, shards] of await index.contacts.due(stepMs, SHARDS)) {
      await this.ensure(orgUid)
      const due = [...(await index.contacts.inShards(orgUid, shards, SHARDS))]
      for (let at = 0; at < due.length; at += SHARDS_PER_COMMIT) {
        await this.#keepShards(orgUid, new Map(due.slice(at, at + SHARDS_PER_COMMIT)))
        await nextIteration()
      }
      for (const [, refs] of due) written += refs.length
    }
    return written
  }

  async #keepShards(orgUid: string, shards: ReadonlyMap<number, readonly number[]>): Promise<void> {
    const { catalogStore, index, isShared } = this.#deps
    const revisions = new Map<number, number>()
    for (const shard of shards.keys()) {
      const before = await catalogStore.get(keyOf(orgUid, shard))
      revisions.set(shard, before?.revision ?? 0)
      // Contacts with other processes stay.
      if (isShared && before !== undefined) this.#learn(before)
    }
    const found = Array.from(shards, ([shard, refs]) => ({
      shard,
      entries: refs.flatMap((ref) => index.contacts.entryOf(ref) ?? []),
    }))
    const writes = found.map(({ shard, entries }): CatalogWrite => {
      const expectedRevision = revisions.get(shard) ?? 0
      return {
        op: 'put',
        ...keyOf(orgUid, shard),
        expectedRevision,
        body: packContacts(entries),
      }
    })
    try {
      await catalogStore.commit(writes)
    } catch (error) {
      // Another process was faster. The next run reads its contacts.
      if (error instanceof CatalogConflict) return
      throw error
    }
    for (const { entries } of found) {
      for (const { ref, uid, at } of entries) {
        if (index.componentRef(orgUid, uid) === ref) index.contacts.noteKept(ref, at)
      }
    }
  }

  async #read(orgUid: string): Promise<void> {
    const { catalogStore, clock, isShared } = this.#deps
    const readAtMs = clock.elapsed()
    const query = { orgUid, kind: KIND, start: 0, limit: SHARDS, leavesOutDamaged: true }
    const { documents } = await catalogStore.list(query)
    for (const document of documents) {
      this.#learn(document)
      await nextIteration()
    }
    // An organization from before contacts were kept. In a cluster, a read of every stream would take long.
    if (documents.length === 0 && !isShared) await this.#estimate(orgUid)
    this.#readAtMs.set(orgUid, readAtMs)
  }

  #learn({ orgUid, body }: CatalogDocument): void {
    const { index } = this.#deps
    for (const { uid, at } of unpackContacts(body)) {
      const ref = index.componentRef(orgUid, uid)
      if (ref !== 0) index.contacts.learn(ref, at)
    }
  }

  /** Takes the latest sample of each component for its last contact. */
  async #estimate(orgUid: string): Promise<void> {
    const { clock, index, samples } = this.#deps
    const handles = [...index.handlesOf(orgUid)].filter((handle) => !index.isDerived(handle))
    const now = clock.now()
    for (let at = 0; at < handles.length; at += STREAMS_PER_SLICE) {
      const some = handles.slice(at, at + STREAMS_PER_SLICE)
      const latest = await samples.latest(some, { isTimesOnly: true })
      for (const [place, sample] of latest.entries()) {
        const ref = index.componentRefOf(some[place])
        if (sample === undefined || !index.has(some[place])) continue
        const time = Math.min(sample.time, now)
        if (index.contacts.of(ref) < time) index.contacts.noteAt(ref, time)
      }
      await nextIteration()
    }
  }
}

/** How long to wait after a run that wrote a number of contacts. */
export function pauseBetweenRuns(written: number): number {
  return Math.min(Math.max((written / WRITTEN_PER_SECOND) * 1_000, EVERY_MS), EVERY_MS_MAX)
}

function keyOf(orgUid: string, shard: number) {
  return { orgUid, kind: KIND, uid: String(shard) }
}
