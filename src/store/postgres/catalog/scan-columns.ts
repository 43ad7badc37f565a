/** Reads all components and streams at a start, in blocks of columns. */
import { readUid, UID_WORDS } from '../../../base/index.ts'
import { definitionOfType } from '../../fields/packed-fields.ts'
import type { IndexReceiver, ScannedStreams } from '../../ports/component-port.ts'
import type { Database, SqlClient, SqlRow } from '../connection/database.ts'
import { fromStored } from '../connection/stored-text.ts'

/** Rows that are held at a time. */
const ROWS_PER_BLOCK = 5_000

/** Hands all components and then all streams to the receiver, as of one moment. */
export async function scanIndex(database: Database, receiver: IndexReceiver): Promise<void> {
  const begin = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'
  await database.transaction(async (client) => {
    const { rows } = await client.run(`SELECT
      coalesce((SELECT sum(documents) FROM tally WHERE kind = 'component'), 0)::bigint,
      coalesce((SELECT sum(documents) FROM tally WHERE kind = 'stream'), 0)::bigint`)
    const [components, streams] = rows[0] as [number, number]
    receiver.onCount({ components, streams })
    await eachBlock(
      client,
      'SELECT number, org, uid, id, time_zone FROM component ORDER BY number',
      (block) => handComponents(block, receiver),
    )
    const definitions = new Map<string, ScannedStreams['definitions'][number]>()
    await eachBlock(
      client,
      `SELECT component, ordinal, CASE WHEN ordinal = 0 THEN uid END, handle, id, place, type, grid
        FROM stream ORDER BY component, place, uid`,
      (block) => handStreams(block, receiver, definitions),
    )
  }, begin)
}

/** The next block is under way while the one before it is taken in. */
async function eachBlock(
  client: SqlClient,
  select: string,
  take: (rows: readonly SqlRow[]) => void,
): Promise<void> {
  await client.run(`DECLARE scan NO SCROLL CURSOR FOR ${select}`)
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
