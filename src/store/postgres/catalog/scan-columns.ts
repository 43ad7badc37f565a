/** Reads the components and streams of all organizations, or of one, in blocks of columns. */
import { readUid, UID_WORDS } from '../../../base/index.ts'
import { definitionOfType } from '../../fields/packed-fields.ts'
import type { IndexReceiver, ScannedStreams } from '../../ports/component-port.ts'
import type { Database, SqlClient, SqlRow } from '../connection/database.ts'
import { fromStored } from '../connection/stored-text.ts'

/** Rows that are held at a time. */
const ROWS_PER_BLOCK = 5_000
/**
 * Room for handles beyond the last one, for an index with few of the streams. Memory between its streams is never
 * touched, so it costs nothing until the columns grow: then they are copied.
 */
const SPARE = 1.5

/** Hands all components and then all streams to the receiver, as of one moment; of one organization if it is given. */
export async function scanIndex(
  database: Database,
  receiver: IndexReceiver,
  org?: string,
): Promise<void> {
  const params = org === undefined ? [] : [org]
  const where = org === undefined ? '' : 'WHERE c.org = $1'
  const begin = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'
  await database.transaction(async (client) => {
    const counted = org === undefined ? '' : 'AND org = $1'
    const { rows } = await client.run(
      `SELECT
        coalesce((SELECT sum(documents) FROM tally WHERE kind = 'component' ${counted}), 0)::bigint,
        coalesce((SELECT max(handle) FROM stream), 0)::bigint`,
      params,
    )
    const [components, lastHandle] = rows[0] as [number, number]
    receiver.onCount({
      components,
      streams: Math.ceil(lastHandle * (org === undefined ? 1 : SPARE)),
    })
    await eachBlock(
      client,
      {
        select: `SELECT number, org, uid, id, time_zone FROM component c ${where} ORDER BY number`,
        params,
      },
      (block) => handComponents(block, receiver),
    )
    const definitions = new Map<string, ScannedStreams['definitions'][number]>()
    await eachBlock(
      client,
      {
        select: `SELECT s.component, s.ordinal, CASE WHEN s.ordinal = 0 THEN s.uid END, s.handle, s.id,
          s.place, s.type, s.grid
          FROM stream s ${org === undefined ? '' : `JOIN component c ON c.number = s.component ${where}`}
          ORDER BY s.component, s.place, s.uid`,
        params,
      },
      (block) => handStreams(block, receiver, definitions),
    )
  }, begin)
}

/** The next block is under way while the one before it is taken in. */
async function eachBlock(
  client: SqlClient,
  { select, params }: { readonly select: string; readonly params: readonly unknown[] },
  take: (rows: readonly SqlRow[]) => void,
): Promise<void> {
  await client.run(`DECLARE scan NO SCROLL CURSOR FOR ${select}`, params)
  const next = () => client.run(`FETCH ${ROWS_PER_BLOCK} FROM scan`)
  let fetching = next()
  for (;;) {
    const { rows } = await fetching
    if (rows.length === 0) break
    fetching = next()
    fetching.catch(() => {})
    take(rows)
  }
  await client.run('CLOSE scan')
}

function handComponents(rows: readonly SqlRow[], receiver: IndexReceiver): void {
  const uidWords = new Uint32Array(UID_WORDS * rows.length)
  for (const [at, row] of rows.entries()) {
    readUid(row[2] as string, uidWords.subarray(UID_WORDS * at, UID_WORDS * (at + 1)))
  }
  receiver.onComponents({
    refs: rows.map((row) => row[0] as number),
    orgUids: rows.map((row) => fromStored(row[1] as string)),
    uidWords,
    ids: rows.map((row) => fromStored((row[3] as string | null) ?? '')),
    timeZones: rows.map((row) => fromStored(row[4] as string)),
  })
}

function handStreams(
  rows: readonly SqlRow[],
  receiver: IndexReceiver,
  known: Map<string, ScannedStreams['definitions'][number]>,
): void {
  const uids = new Map<number, string>()
  for (const [at, row] of rows.entries()) if (row[2] !== null) uids.set(at, row[2] as string)
  const definitionOf = (row: SqlRow) => {
    const [type, grid] = [row[6] as number, (row[7] as string | null) ?? '']
    const name = `${type} ${grid}`
    const definition = known.get(name) ?? definitionOfType(type, fromStored(grid))
    known.set(name, definition)
    return definition
  }
  receiver.onStreams({
    componentRefs: rows.map((row) => row[0] as number),
    ordinals: rows.map((row) => row[1] as number),
    uids,
    handles: rows.map((row) => row[3] as number),
    ids: rows.map((row) => fromStored((row[4] as string | null) ?? '')),
    orders: rows.map((row) => row[5] as number),
    definitions: rows.map(definitionOf),
  })
}
