/**
 * What an import remembers over restarts: when it ran last with success, and the value last imported into each
 * stream. Values lie in buckets, documents of their own, of which a run writes those that changed, together
 * with the time of the run in one commit.
 */
import type { CatalogStore, CatalogWrite, JsonObject } from '../../store/index.ts'
import type { ImportedValues } from '../result/changed-rows.ts'

const STATE_KIND = 'import_state'
const VALUES_KIND = 'import_values'
/** A bucket of an import of 100,000 streams then has 400 of them, some 30 KB. */
const BUCKETS = 256
const PAGE = 64

/** The last run that went through. */
interface ImportState {
  /** Its start, which is @LAST_RUN_DATE of the next; 0 when there was none. */
  readonly lastRunMs: number
  readonly lastRunUid: string
  readonly rowsFetched: number
  readonly rowsIngested: number
  readonly rowsSkipped: number
  readonly samples: number
}

/** An import that never ran. */
const NO_STATE: ImportState = {
  ...{ lastRunMs: 0, lastRunUid: '', rowsFetched: 0, rowsIngested: 0, rowsSkipped: 0, samples: 0 },
}

/** Of which import. */
interface ImportKey {
  readonly orgUid: string
  readonly connectorUid: string
}

type MemoryStore = Pick<CatalogStore, 'get' | 'list' | 'commit'>

/** The last run of an import. */
export async function readImportState(
  store: MemoryStore,
  { orgUid, connectorUid }: ImportKey,
): Promise<ImportState> {
  const found = await store.get({ orgUid, kind: STATE_KIND, uid: connectorUid })
  return found === undefined ? NO_STATE : (found.body as unknown as ImportState)
}

/** The values last imported into all streams of an import. */
export async function readImportedValues(
  store: MemoryStore,
  { orgUid, connectorUid }: ImportKey,
): Promise<Map<string, string>> {
  const values = new Map<string, string>()
  const query = { orgUid, kind: VALUES_KIND, parentUid: connectorUid, limit: PAGE }
  for (let start = 0; ; start += PAGE) {
    const { documents } = await store.list({ ...query, start })
    for (const { body } of documents) {
      for (const [key, value] of Object.entries(body)) values.set(key, value as string)
    }
    if (documents.length < PAGE) return values
  }
}

/** Keeps what a run has imported; `values` undefined where unchanged rows are not skipped. */
export async function keepImport(
  store: MemoryStore,
  { orgUid, connectorUid }: ImportKey,
  given: {
    readonly state: ImportState
    readonly before: ImportedValues
    readonly imported: ImportedValues
  },
): Promise<void> {
  const { state, before, imported } = given
  const put = { op: 'put', orgUid, expectedRevision: 'any' } as const
  const writes: CatalogWrite[] = [
    { ...put, kind: STATE_KIND, uid: connectorUid, body: { ...state } },
  ]
  const changed = new Set([...imported.keys()].map(bucketOf))
  if (changed.size > 0) {
    const bodies = new Map<number, Record<string, string>>()
    for (const bucket of changed) bodies.set(bucket, {})
    for (const values of [before, imported]) {
      for (const [key, value] of values) {
        const body = bodies.get(bucketOf(key))
        if (body !== undefined) body[key] = value
      }
    }
    for (const [bucket, body] of bodies) {
      const uid = `${connectorUid}.${bucket}`
      writes.push({
        ...put,
        kind: VALUES_KIND,
        uid,
        parentUid: connectorUid,
        body: body as JsonObject,
      })
    }
  }
  await store.commit(writes)
}

/** Forgets an import. */
export async function forgetImport(
  store: MemoryStore,
  { orgUid, connectorUid }: ImportKey,
): Promise<void> {
  // Whatever has never run has nothing to forget.
  if ((await store.get({ orgUid, kind: STATE_KIND, uid: connectorUid })) === undefined) return
  const gone = { op: 'delete', orgUid, expectedRevision: 'any' } as const
  const buckets = Array.from({ length: BUCKETS }, (_, bucket) => bucket)
  await store.commit([
    { ...gone, kind: STATE_KIND, uid: connectorUid },
    ...buckets.map((bucket) => ({ ...gone, kind: VALUES_KIND, uid: `${connectorUid}.${bucket}` })),
  ])
}

/** Always the same for a key; spread evenly enough. */
function bucketOf(key: string): number {
  let hash = 7
  for (let at = 0; at < key.length; at += 1) hash = (hash * 31 + key.charCodeAt(at)) >>> 0
  return hash % BUCKETS
}
