import type { Database } from './connection/database.ts'

/** Identifies a catalog. Backups and standbys keep it. */
export async function identityOf(database: Database): Promise<string> {
  const [row] = await database.read(`SELECT value FROM meta WHERE name = 'identity'`)
  return row[0] as string
}

/** Whether the server waits with each commit until a standby has it. */
export async function hasSynchronousStandby(database: Database): Promise<boolean> {
  const [row] = await database.read(`SELECT current_setting('synchronous_standby_names') <> ''`)
  return row[0] === true
}
