/** What is kept of one connector, as its pages tell it: the newest, as far as the bounds allow. */
import { epochMs } from '../../../base/index.ts'
import type { PayloadBounds, PayloadSummary, RunOutcome, RunSummary } from '../../payload-port.ts'
import type { Cluster, CqlRow } from '../connection/cluster.ts'
import type { KeptBytes } from './payload-content.ts'

/** Rows that one answer of the cluster brings: an outcome may have some kilobytes. */
const FETCH_ROWS = 500

/** Assigned times count among the bytes of their payload beyond this: most are shorter than a row. */
const UNCOUNTED_SPANS = 1_000

const SUMMARY =
  'uid, run_of, time, method, is_whole, query_bytes, body_bytes, assigned_bytes, assigned_in, outcome'
const WHOLE = `${SUMMARY}, content, content_crc, assigned, assigned_crc`

/** A page of a connector. */
export interface KeptPage {
  readonly page: string
  readonly openedAtMs: number
  readonly isClosed: boolean
}

/** A payload's row without its content. */
export interface PayloadRow extends PayloadSummary {
  readonly page: string
  readonly bodyBytes: number | null
  readonly contentBytes: number
  readonly assignedBytes: number
  /** The name of the parts that its assigned times are in; blank when they are in none. */
  readonly assignedIn: string
}

/** A payload's row with what is in it. */
interface WholePayloadRow extends PayloadRow {
  readonly queryBytes: number
  readonly content: KeptBytes
  readonly assigned: KeptBytes | undefined
}

/** A run before the last of its payload. */
interface EarlierRun extends RunSummary {
  readonly page: string
  /** The payload's UID. */
  readonly of: string
}

/** All of a connector: payloads and runs within the bounds, the newest first, and which pages have one of them. */
interface ConnectorView {
  readonly pages: readonly KeptPage[]
  readonly payloads: readonly PayloadRow[]
  readonly runs: readonly RunSummary[]
  /** All runs before the last of the payloads, the oldest first. */
  readonly earlier: readonly EarlierRun[]
  readonly usedPages: ReadonlySet<string>
}

/** The pages of a connector, in the order of their names. */
export async function readKeptPages(cluster: Cluster, connectorUid: string): Promise<KeptPage[]> {
  const cql = 'SELECT page, opened_at, is_closed FROM payload_page WHERE connector = ?'
  const rows = await cluster.run(cql, [connectorUid])
  return rows
    .filter((row) => row.page !== null)
    .map((row) => ({
      page: row.page as string,
      // One that was closed after it was dropped.
      openedAtMs: Number(row.opened_at ?? 0),
      isClosed: row.is_closed === true,
    }))
}

/** Everything of a connector that is within the bounds. */
export async function readConnector(
  cluster: Cluster,
  connectorUid: string,
  bounds: PayloadBounds,
): Promise<ConnectorView> {
  const pages = await readKeptPages(cluster, connectorUid)
  const read = ({ page }: KeptPage) => readRows(cluster, connectorUid, page)
  const found = (await cluster.inParallel(pages, read)).flat()
  const all = found.filter((row): row is PayloadRow => !('of' in row))
  const payloads = within(all.sort(byUid), bounds)
  const runs = runsOf(payloads, found, bounds.countMax)
  const usedPages = new Set([...payloads, ...runs].map(({ page }) => page))
  const kept = new Set(payloads.map(({ uid }) => uid))
  const earlier = found.filter((row): row is EarlierRun => 'of' in row && kept.has(row.of))
  return {
    pages,
    payloads,
    earlier: earlier.sort(byUid).reverse(),
    runs: runs.map(({ uid, time, outcome }) => ({ uid, time, outcome })),
    usedPages,
  }
}

/** One payload with what is in its row. */
export async function readPayload(
  cluster: Cluster,
  place: { readonly connectorUid: string; readonly page: string; readonly uid: string },
): Promise<WholePayloadRow | undefined> {
  const cql = `SELECT ${WHOLE} FROM payload WHERE connector = ? AND page = ? AND uid = ?`
  const [row] = await cluster.run(cql, [place.connectorUid, place.page, place.uid])
  if (row === undefined || !isPayload(row)) return undefined
  const kept = payloadOf(place.page, row)
  const content: KeptBytes = {
    ...{ bytes: kept.contentBytes, crc: Number(row.content_crc) },
    inline: (row.content as Buffer | null) ?? undefined,
  }
  const assigned: KeptBytes | undefined =
    row.assigned_bytes === null
      ? undefined
      : {
          ...{ bytes: kept.assignedBytes, crc: Number(row.assigned_crc) },
          inline: (row.assigned as Buffer | null) ?? undefined,
        }
  return { ...kept, queryBytes: row.query_bytes as number, content, assigned }
}

async function readRows(
  cluster: Cluster,
  connectorUid: string,
  page: string,
): Promise<Array<PayloadRow | EarlierRun>> {
  const cql = `SELECT ${SUMMARY} FROM payload WHERE connector = ? AND page = ?`
  const rows: Array<PayloadRow | EarlierRun> = []
  for await (const some of cluster.pages(cql, [connectorUid, page], FETCH_ROWS)) {
    for (const row of some) {
      if (isPayload(row)) rows.push(payloadOf(page, row))
      else if (row.run_of !== null) rows.push(earlierOf(page, row))
    }
  }
  return rows
}

/** Rows without a time hold what came of a payload after it was dropped. */
function isPayload(row: CqlRow): boolean {
  return row.run_of === null && row.time !== null && row.is_whole === true
}

function payloadOf(page: string, row: CqlRow): PayloadRow {
  const bodyBytes = row.body_bytes as number | null
  return {
    ...{ uid: row.uid as string, page, time: epochMs(Number(row.time)) },
    ...{ method: row.method as string, bytes: bodyBytes ?? 0, bodyBytes },
    contentBytes: (row.query_bytes as number) + (bodyBytes ?? 0),
    assignedBytes: (row.assigned_bytes as number | null) ?? 0,
    assignedIn: (row.assigned_in as string | null) ?? '',
    outcome: outcomeOf(row),
  }
}

function earlierOf(page: string, row: CqlRow): EarlierRun {
  const [uid, of] = [row.uid as string, row.run_of as string]
  return { uid, page, of, time: epochMs(Number(row.time)), outcome: outcomeOf(row) }
}

function outcomeOf({ outcome }: CqlRow): RunOutcome | undefined {
  return outcome === null ? undefined : (JSON.parse(outcome as string) as RunOutcome)
}

/** The newest that are within the bounds; the first of all stays however long it is. */
function within(payloads: readonly PayloadRow[], bounds: PayloadBounds): PayloadRow[] {
  let bytes = 0
  const end = payloads.slice(0, bounds.countMax).findIndex((row, at) => {
    bytes += row.contentBytes + (row.assignedBytes > UNCOUNTED_SPANS ? row.assignedBytes : 0)
    return at > 0 && bytes > bounds.bytesMax
  })
  return payloads.slice(0, end === -1 ? bounds.countMax : end)
}

/** The last runs of payloads and those before them, the one that began last first. */
function runsOf(
  payloads: readonly PayloadRow[],
  found: ReadonlyArray<PayloadRow | EarlierRun>,
  countMax: number,
): Array<RunSummary & { readonly page: string }> {
  const kept = new Set(payloads.map(({ uid }) => uid))
  const runs: Array<RunSummary & { page: string; of: string; isLast: boolean }> = []
  for (const { uid, page, time, outcome } of payloads) {
    runs.push({ uid, page, time, outcome, of: uid, isLast: true })
  }
  for (const row of found) if ('of' in row && kept.has(row.of)) runs.push({ ...row, isLast: false })
  runs.sort((a, b) => {
    const began = (b.outcome?.start ?? b.time) - (a.outcome?.start ?? a.time)
    if (began !== 0) return began
    if (a.of !== b.of) return a.of < b.of ? 1 : -1
    return a.isLast === b.isLast ? byUid(a, b) : Number(b.isLast) - Number(a.isLast)
  })
  return runs.slice(0, countMax)
}

function byUid(a: { readonly uid: string }, b: { readonly uid: string }): number {
  return a.uid < b.uid ? 1 : -1
}
