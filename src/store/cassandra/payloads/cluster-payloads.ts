/** Calls and runs of connectors on a cluster; docs/format/cassandra.md tells the tables. */
import { type Clock, KeyedMutex, refuse, systemClock } from '../../../base/index.ts'
import { readSpans } from '../../embedded/payloads/assigned-spans.ts'
import type { MovablePayloads, WholePayload } from '../../move-port.ts'
import {
  type AssignedSpan,
  type KeptPayload,
  type NewPayload,
  type PayloadBounds,
  PayloadDamaged,
  type PayloadKey,
  type PayloadStore,
  type PayloadSummary,
  type RunOutcome,
  type RunSummary,
} from '../../payload-port.ts'
import type { ScrubPass } from '../../scrub-port.ts'
import type { Cluster } from '../connection/cluster.ts'
import {
  type KeptPage,
  type PayloadRow,
  readConnector,
  readKeptPages,
  readPayload,
} from './connector-view.ts'
import { isPageOver } from './open-pages.ts'
import { payloadWriterOf } from './ordered-uids.ts'
import { PayloadRows, type RowPlace } from './payload-rows.ts'
import { WriterKeeper } from './writer-keeper.ts'

/** Enough to mend a connector by; a body may have megabytes. */
const BOUNDS: PayloadBounds = { countMax: 1_000, bytesMax: 64 * 1024 * 1024 }

/** Beyond this the cluster cannot keep up, and a caller is better told so than kept waiting. */
const WAITING_MAX = 4_096
const WAITING_LENGTH_MAX = 64 * 1024 * 1024
const RETRY_AFTER_SECONDS = 5

/** How payloads are kept, and who hears of damage. */
interface ClusterPayloadOptions {
  readonly bounds?: PayloadBounds
  readonly clock?: Clock
  readonly onDamage?: (what: string) => void
}

/**
 * Opens the payloads of a keyspace whose schema is there, and takes over what processes that are gone have left;
 * close it before the connection, which is the caller's.
 */
export async function openClusterPayloads(
  cluster: Cluster,
  options: ClusterPayloadOptions = {},
): Promise<PayloadStore & MovablePayloads> {
  const store = new ClusterPayloads(cluster, options)
  await store.open()
  return store
}

class ClusterPayloads implements PayloadStore, MovablePayloads {
  readonly #cluster: Cluster
  readonly #clock: Clock
  readonly #bounds: PayloadBounds
  readonly #onDamage: (what: string) => void
  readonly #rows: PayloadRows
  readonly #keeper: WriterKeeper
  readonly #turns = new KeyedMutex<string>()
  readonly #trims = new Map<string, Promise<void>>()
  /** What keepWhole() was given last. */
  #whole: { uid: string; page: string; opened: Promise<void> | undefined } | undefined
  #waiting = 0
  #waitingLength = 0

  constructor(cluster: Cluster, options: ClusterPayloadOptions) {
    const { bounds = BOUNDS, clock = systemClock, onDamage = () => {} } = options
    this.#cluster = cluster
    this.#clock = clock
    this.#bounds = bounds
    this.#onDamage = onDamage
    this.#rows = new PayloadRows(cluster, clock)
    this.#keeper = new WriterKeeper({ cluster, clock, bounds })
  }

  async open(): Promise<void> {
    await this.#keeper.open()
  }

  put(payload: NewPayload): { readonly uid: string; readonly landed: Promise<void> } {
    const length = payload.query.length + (payload.body?.length ?? 0)
    const isFull = this.#waiting >= WAITING_MAX || this.#waitingLength + length > WAITING_LENGTH_MAX
    this.#keeper.require(this.#keeper.process.writer)
    if (isFull && this.#waiting > 0) {
      refuse('overloaded', { retryAfterSeconds: RETRY_AFTER_SECONDS })
    }
    const { pages, uids } = this.#keeper.process
    const { orgUid, connectorUid } = payload
    const uid = uids.next(payload.time)
    const { page, opened } = pages.pageFor({ orgUid, connectorUid, uid, bytes: length })
    const key = { orgUid, connectorUid, uid }
    this.#keeper.process.remember({ key, page, hasAssigned: false })
    this.#waiting += 1
    this.#waitingLength += length
    const landed = opened
      .then(() => this.#rows.insert({ connectorUid, page, uid }, payload))
      .then(() => {
        if (page === uid) this.#trimSoon(connectorUid)
      })
      .finally(() => {
        this.#waiting -= 1
        this.#waitingLength -= length
      })
    return { uid, landed }
  }

  async keepAssigned(key: PayloadKey, spans: readonly AssignedSpan[]): Promise<void> {
    await this.#turns.run([key.uid], async () => {
      const own = this.#keeper.process.unsettled.get(key.uid)
      const before = own?.hasAssigned === false ? undefined : await this.#find(key)
      const page = own?.page ?? before?.page
      if (page === undefined) return
      this.#keeper.require(payloadWriterOf(key.uid))
      const { connectorUid, uid } = key
      const name = this.#keeper.process.uids.nextEarlier(this.#clock.now())
      await this.#rows.setAssigned({ connectorUid, page, uid }, spans, name)
      if (own !== undefined) own.hasAssigned = true
      if (before === undefined || before.assignedIn === '') return
      await this.#rows.parts.delete({ connectorUid, name: before.assignedIn }, before.assignedBytes)
    })
  }

  async settle(key: PayloadKey, outcome: RunOutcome): Promise<void> {
    await this.#turns.run([key.uid], async () => {
      this.#keeper.require(payloadWriterOf(key.uid))
      const { connectorUid, uid } = key
      const own = this.#keeper.process.unsettled.get(uid)
      const before = own === undefined ? await this.#find(key) : undefined
      const page = own?.page ?? before?.page
      if (page === undefined) return
      if (before?.outcome !== undefined) await this.#keepEarlier(key, before)
      await this.#rows.setOutcome({ connectorUid, page, uid }, outcome)
      this.#keeper.process.unsettled.delete(uid)
    })
  }

  async list(
    connectorUid: string,
    { start, limit }: { readonly start: number; readonly limit: number },
  ): Promise<{ payloads: PayloadSummary[]; totalCount: number }> {
    const { payloads } = await this.#view(connectorUid)
    const page = payloads.slice(start, start + limit)
    return { payloads: page.map(summaryOf), totalCount: payloads.length }
  }

  async listRuns(
    connectorUid: string,
    { start, limit }: { readonly start: number; readonly limit: number },
  ): Promise<{ runs: RunSummary[]; totalCount: number }> {
    const { runs } = await this.#view(connectorUid)
    return { runs: runs.slice(start, start + limit), totalCount: runs.length }
  }

  async get(connectorUid: string, uid: string): Promise<KeptPayload | undefined> {
    const { payloads } = await this.#view(connectorUid)
    const found = payloads.find((one) => one.uid === uid)
    if (found === undefined) return undefined
    try {
      return await this.#read({ connectorUid, page: found.page, uid })
    } catch (error) {
      if (error instanceof PayloadDamaged) this.#onDamage(error.message)
      throw error
    }
  }

  async listUnsettled(after: string | undefined, limit: number): Promise<PayloadKey[]> {
    return await this.#keeper.listUnsettled(after ?? '', limit)
  }

  async listConnectors(): Promise<Pick<PayloadKey, 'orgUid' | 'connectorUid'>[]> {
    const rows = await this.#cluster.run('SELECT DISTINCT connector, org FROM payload_page')
    const order = (one: { orgUid: string; connectorUid: string }) =>
      `${one.orgUid}\n${one.connectorUid}`
    return rows
      .filter(({ org }) => org !== null)
      .map((row) => ({ orgUid: row.org as string, connectorUid: row.connector as string }))
      .sort((a, b) => (order(a) < order(b) ? -1 : 1))
  }

  async deleteOf(connectorUid: string): Promise<void> {
    await this.#trims.get(connectorUid)
    this.#keeper.process.forget(connectorUid)
    const pages = await readKeptPages(this.#cluster, connectorUid)
    const isOver = pages.map((page) => this.#isOver(connectorUid, page))
    for (const [at, { page }] of pages.entries()) {
      await this.#rows.drop(connectorUid, page, isOver[at])
    }
    // A page that another process goes on to write to keeps the connector known.
    if (!isOver.every(Boolean)) return
    await this.#cluster.run('DELETE org FROM payload_page WHERE connector = ?', [connectorUid])
  }

  async *everything(): AsyncGenerator<WholePayload> {
    for (const { orgUid, connectorUid } of await this.listConnectors()) {
      const view = await this.#view(connectorUid)
      const runs = Map.groupBy(view.earlier, ({ of }) => of)
      for (const { page, uid } of view.payloads.toReversed()) {
        const kept = await this.#read({ connectorUid, page, uid })
        if (kept === undefined) throw new PayloadDamaged(`payload ${uid} cannot be found`)
        const earlier = (runs.get(uid) ?? []).flatMap((run) =>
          run.outcome === undefined ? [] : { uid: run.uid, outcome: run.outcome },
        )
        yield { ...kept, orgUid, connectorUid, earlier }
      }
    }
  }

  async keepWhole(payload: WholePayload): Promise<void> {
    const { orgUid, connectorUid, uid, assigned, outcome, earlier } = payload
    const { process } = this.#keeper
    const rename = () => process.uids.nextEarlier(this.#clock.now())
    const bytes = payload.query.length + (payload.body?.length ?? 0)
    // Under names of this process: what has no outcome is found by those who take its place. One that is tried
    // again goes to the same page.
    if (this.#whole?.uid !== uid) {
      const page = (await this.#find(payload))?.page
      const fresh = { orgUid, connectorUid, uid: rename(), bytes }
      const kept = page === undefined ? process.pages.pageFor(fresh) : { page, opened: undefined }
      this.#whole = { uid, ...kept }
    }
    const { page, opened } = this.#whole
    await opened
    const place = { connectorUid, page, uid }
    await this.#rows.insert(place, payload)
    if (assigned.length > 0) await this.#rows.setAssigned(place, assigned, rename())
    for (const run of earlier) {
      await this.#rows.insertEarlier({ ...place, uid: run.uid }, payload, run.outcome)
    }
    if (outcome !== undefined) await this.#rows.setOutcome(place, outcome)
    else process.remember({ key: payload, page, hasAssigned: assigned.length > 0 })
  }

  watchLeft(listener: (left: readonly PayloadKey[]) => void): void {
    this.#keeper.watchLeft(listener)
  }

  async scrub(pass: ScrubPass): Promise<void> {
    for (const { connectorUid } of await this.listConnectors()) {
      const { payloads } = await this.#view(connectorUid)
      for (const { uid, page } of payloads) {
        try {
          const found = await this.#read({ connectorUid, page, uid })
          pass.onChecked(1, found?.bytes ?? 0)
        } catch (error) {
          if (!(error instanceof PayloadDamaged)) throw error
          this.#onDamage(error.message)
          const nowhere = { handle: undefined, from: undefined, until: undefined }
          pass.onDamage({ part: 'payloads', what: error.message, ...nowhere })
        }
        if (!(await pass.mayGoOn())) return
      }
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#trims.values())
    await this.#keeper.close()
  }

  async #view(connectorUid: string) {
    return await readConnector(this.#cluster, connectorUid, this.#bounds)
  }

  /** A payload of any process; undefined when it is not kept. */
  async #find({ connectorUid, uid }: PayloadKey): Promise<PayloadRow | undefined> {
    const pages = await readKeptPages(this.#cluster, connectorUid)
    const read = ({ page }: KeptPage) => readPayload(this.#cluster, { connectorUid, page, uid })
    const found = await this.#cluster.inParallel(pages, read)
    return found.find((row) => row !== undefined)
  }

  async #keepEarlier({ orgUid, connectorUid }: PayloadKey, before: PayloadRow): Promise<void> {
    if (before.outcome === undefined) return
    const { pages, uids } = this.#keeper.process
    const uid = uids.nextEarlier(this.#clock.now())
    const { page, opened } = pages.pageFor({ orgUid, connectorUid, uid, bytes: 0 })
    await opened
    await this.#rows.insertEarlier({ connectorUid, page, uid }, before, before.outcome)
    if (page === uid) this.#trimSoon(connectorUid)
  }

  async #read(place: RowPlace): Promise<KeptPayload | undefined> {
    const row = await readPayload(this.#cluster, place)
    if (row === undefined) return undefined
    const { connectorUid, uid } = place
    const { parts } = this.#rows
    const what = `payload ${uid}`
    const content = await parts.read({ connectorUid, name: uid }, row.content, what)
    const spans =
      row.assigned &&
      (await parts.read(
        { connectorUid, name: row.assignedIn },
        row.assigned,
        `the times of ${what}`,
      ))
    const body = row.bodyBytes === null ? null : content.toString('utf8', row.queryBytes)
    return {
      ...summaryOf(row),
      ...{ query: content.toString('utf8', 0, row.queryBytes), body },
      assigned: spans === undefined ? [] : readSpans(spans.toString()),
    }
  }

  /** Drops the pages of a connector of which nothing is within the bounds any more, beside all else. */
  #trimSoon(connectorUid: string): void {
    if (this.#trims.has(connectorUid)) return
    // What is not trimmed while the cluster is away goes with the next page.
    const trimming = this.#trim(connectorUid)
      .catch(() => undefined)
      .finally(() => this.#trims.delete(connectorUid))
    this.#trims.set(connectorUid, trimming)
  }

  async #trim(connectorUid: string): Promise<void> {
    const view = await readConnector(this.#cluster, connectorUid, this.#bounds)
    for (const page of view.pages) {
      if (view.usedPages.has(page.page) || !this.#isOver(connectorUid, page)) continue
      await this.#rows.drop(connectorUid, page.page, true)
    }
  }

  /** Whether nobody writes to a page any more. */
  #isOver(connectorUid: string, page: KeptPage): boolean {
    const { pages } = this.#keeper.process
    return pages.hasClosed(connectorUid, page.page) || isPageOver(page, this.#clock.now())
  }
}

function summaryOf({ uid, time, method, bytes, outcome }: PayloadSummary): PayloadSummary {
  return { uid, time, method, bytes, outcome }
}
