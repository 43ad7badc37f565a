import { blobTables } from '../blobs/blob-tables.ts'
import { sampleTables } from '../samples/sample-tables.ts'

/** The table with the version of the others. */
export const firstTables: readonly string[] = [
  'CREATE TABLE IF NOT EXISTS meta (name text PRIMARY KEY, value text)',
]

/** What makes each version of the schema of the one before it; a step never changes once it was released. */
export const schemaSteps: readonly (readonly string[])[] = [[...blobTables, ...sampleTables]]

/** Tables of keyspaces of earlier versions, with the last commit that reads them. */
export const EARLIER_TABLES: readonly (readonly [table: string, commit: string])[] = [
  ['change_log', '922df51d'],
  ['sample_map', 'b9dbf9bf'],
]
