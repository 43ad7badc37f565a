import { StoreUnusable } from '../../ports/store-unusable.ts'
import type { Database, SqlClient } from '../connection/database.ts'
import { postgresSteps } from './tables.ts'

/** The number of the advisory lock under which processes change the tables. */
const LOCK = 0x77656972

/** Creates the tables, or brings those of earlier versions up to date; rejects when they are of a later version. */
export async function openSchema(database: Database): Promise<void> {
  if ((await database.withClient(readVersion)) === postgresSteps.length) return
  await database.transaction(async (client) => {
    // Processes that start at once wait here for the first.
    await client.run(`SELECT pg_advisory_xact_lock(${LOCK})`)
    const version = await readVersion(client)
    for (const step of postgresSteps.slice(version)) for (const sql of step) await client.run(sql)
    const sql = `INSERT INTO meta (name, value) VALUES ('schema', $1)
      ON CONFLICT (name) DO UPDATE SET value = excluded.value`
    await client.run(sql, [String(postgresSteps.length)])
  })
}

async function readVersion(client: SqlClient): Promise<number> {
  // By a query: the name alone would be looked up in a cache, which may not know of a table made a moment ago.
  const { rows } = await client.run(`SELECT EXISTS (SELECT 1 FROM pg_class
    WHERE relname = 'meta' AND relnamespace = current_schema()::regnamespace)`)
  if (rows[0][0] !== true) return 0
  const found = await client.run(`SELECT value FROM meta WHERE name = 'schema'`)
  const version = Number(found.rows[0]?.[0] ?? 0)
  if (version <= postgresSteps.length) return version
  throw new StoreUnusable(
    'schema',
    `The database has schema ${version}, and this Weir knows ${postgresSteps.length}: start a later Weir`,
  )
}
