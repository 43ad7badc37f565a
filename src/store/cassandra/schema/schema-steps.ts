import { blobTables } from '../blobs/blob-tables.ts'
import { catalogTables } from '../catalog/catalog-tables.ts'
import { payloadTables } from '../payloads/payload-tables.ts'
import { sampleTables } from '../samples/sample-tables.ts'

/** The tables by which processes agree on who makes the others. */
export const firstTables: readonly string[] = [
  'CREATE TABLE IF NOT EXISTS lease (name text PRIMARY KEY, holder text, fence bigint, expires_at bigint)',
  'CREATE TABLE IF NOT EXISTS meta (name text PRIMARY KEY, value text)',
]

/** What makes each version of the schema of the one before it; a step never changes once it was released. */
export const schemaSteps: readonly (readonly string[])[] = [
  [...catalogTables, ...blobTables, ...payloadTables, ...sampleTables],
]
