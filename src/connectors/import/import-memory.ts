/**
 * What imports remember over restarts: the time of the last successful run, and the value last imported into each
 * stream by any import. Values are stored by the UID of the stream, so they are deleted with it.
 *
 * Values are stored in buckets, one document each. A run writes the buckets that changed, and then its time. A run that
 * is interrupted in between is repeated and writes the same again.
 */
import type { StreamIndex } from '../../catalog/index.ts'
import {
  CatalogConflict,
  type CatalogDocument,
  type CatalogStore,
  type CatalogWrite,
} from '../../store/index.ts'
import type { ImportedValues } from '../result/changed-rows.ts'
import { type RunStream, streamKey, streamOfKey } from '../result/run-streams.ts'

const STATE_KIND = 'import_state'
const VALUES_KIND = 'import_values'
/** A bucket of an organization that imports into a million streams has a thousand of them, some 60 KB. */
const BUCKETS = 1_024
/** Buckets that are held, or written, at a time. */
const BUCKETS_AT_ONCE = 32
/** A commit fails only where another has written the same bucket: somebody always gets on. */
const COMMIT_TRIES = 100
/** Buckets of a connector of its own, which folders of earlier versions have. */
const OWN_BUCKETS = 256

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
  lastRunMs: 0,
  lastRunUid: '',
  rowsFetched: 0,
  rowsIngested: 0,
  rowsSkipped: 0,
  samples: 0,
}

/** Of which import. */
interface ImportKey {
  readonly orgUid: string
  readonly connectorUid: string
}

type StateStore = Pick<CatalogStore, 'get' | 'commit'>

/** Where values are remembered, and how names lead to streams. */
interface ValueMemory {
  readonly store: StateStore
  readonly index: Pick<StreamIndex, 'resolve' | 'streamUid' | 'hasLivingUid'>
  readonly orgUid: string
}

/** The last run of an import. */
export async function readImportState(
  store: StateStore,
  { orgUid, connectorUid }: ImportKey,
): Promise<ImportState> {
  const found = await store.get({ orgUid, kind: STATE_KIND, uid: connectorUid })
  return found === undefined ? NO_STATE : (found.body as unknown as ImportState)
}

/** Keeps that a run went through. */
export async function keepImportState(
  store: StateStore,
  { orgUid, connectorUid }: ImportKey,
  state: ImportState,
): Promise<void> {
  const put = { op: 'put', orgUid, expectedRevision: 'any' } as const
  await store.commit([{ ...put, kind: STATE_KIND, uid: connectorUid, body: { ...state } }])
}

/** The values last imported into some streams; one that is not there, or was made since, has none. */
export async function readImportedValues(
  memory: ValueMemory,
  streams: readonly Pick<RunStream, 'compId' | 'streamId'>[],
): Promise<Map<string, string>> {
  const values = new Map<string, string>()
  const buckets = new Map<number, [uid: string, key: string][]>()
  for (const { compId, streamId } of streams) {
    const uid = uidOf(memory, compId, streamId)
    if (uid !== undefined) addTo(buckets, bucketOf(uid), [uid, streamKey(compId, streamId)])
  }
  await eachSome(buckets, async (some) => {
    const documents = await readBuckets(memory, some)
    for (const [at, [, members]] of some.entries()) {
      for (const [uid, key] of members) {
        const value = documents[at]?.body[uid]
        if (typeof value === 'string') values.set(key, value)
      }
    }
  })
  return values
}

/** Keeps what a run has imported last, by `streamKey`. */
export async function keepImportedValues(
  memory: ValueMemory,
  imported: ImportedValues,
): Promise<void> {
  await writeValues(memory, imported.keys(), (key) => imported.get(key))
}

/** Forgets what was imported into streams of which a run may have stored something else. */
export async function forgetImportedValues(
  memory: ValueMemory,
  keys: Iterable<string>,
): Promise<void> {
  await writeValues(memory, keys, () => undefined)
}

async function writeValues(
  memory: ValueMemory,
  keys: Iterable<string>,
  imports: (key: string) => string | undefined,
): Promise<void> {
  const buckets = new Map<number, [uid: string, value: string | undefined][]>()
  for (const key of keys) {
    const { compId, streamId } = streamOfKey(key)
    const uid = uidOf(memory, compId, streamId)
    if (uid !== undefined) addTo(buckets, bucketOf(uid), [uid, imports(key)])
  }
  await eachSome(buckets, async (some) => {
    for (let tries = 1; ; tries += 1) {
      const documents = await readBuckets(memory, some)
      const writes = some.map(([bucket, changes], at) =>
        bucketWrite(memory, { bucket, changes, document: documents[at] }),
      )
      try {
        await memory.store.commit(writes)
        return
      } catch (error) {
        if (!(error instanceof CatalogConflict) || tries === COMMIT_TRIES) throw error
      }
    }
  })
}

/** A bucket with its changes, and without streams that are gone. */
function bucketWrite(
  { index, orgUid }: ValueMemory,
  given: {
    readonly bucket: number
    readonly changes: readonly [uid: string, value: string | undefined][]
    readonly document: CatalogDocument | undefined
  },
): CatalogWrite {
  const { bucket, changes, document } = given
  const body: Record<string, string> = {}
  for (const [uid, value] of Object.entries(document?.body ?? {})) {
    if (index.hasLivingUid(uid)) body[uid] = value as string
  }
  for (const [uid, value] of changes) {
    if (value === undefined) delete body[uid]
    else body[uid] = value
  }
  const expectedRevision = document?.revision ?? 0
  const key = { orgUid, kind: VALUES_KIND, uid: bucketUid(orgUid, bucket) }
  return { op: 'put', ...key, body, expectedRevision }
}

async function readBuckets(
  { orgUid, store }: ValueMemory,
  buckets: readonly (readonly [bucket: number, unknown])[],
): Promise<(CatalogDocument | undefined)[]> {
  return await Promise.all(
    buckets.map(([bucket]) =>
      store.get({ orgUid, kind: VALUES_KIND, uid: bucketUid(orgUid, bucket) }),
    ),
  )
}

/** Takes entries of a map a few at a time, in the order of their keys. */
async function eachSome<T>(
  all: ReadonlyMap<number, T>,
  take: (some: readonly [number, T][]) => Promise<void>,
): Promise<void> {
  const entries = [...all].sort(([a], [b]) => a - b)
  for (let from = 0; from < entries.length; from += BUCKETS_AT_ONCE) {
    await take(entries.slice(from, from + BUCKETS_AT_ONCE))
  }
}

function addTo<T>(lists: Map<number, T[]>, key: number, value: T): void {
  lists.getOrInsertComputed(key, () => []).push(value)
}

function uidOf(
  { index, orgUid }: ValueMemory,
  compId: string,
  streamId: string,
): string | undefined {
  const handle = index.resolve(orgUid, compId, streamId)
  return handle === 0 ? undefined : index.streamUid(handle)
}

function bucketUid(orgUid: string, bucket: number): string {
  return `${orgUid}.${bucket}`
}

/** Forgets an import; what was imported into streams stays with them. */
export async function forgetImport(
  store: StateStore,
  { orgUid, connectorUid }: ImportKey,
): Promise<void> {
  // Whatever has never run has nothing to forget.
  if ((await store.get({ orgUid, kind: STATE_KIND, uid: connectorUid })) === undefined) return
  const gone = { op: 'delete', orgUid, expectedRevision: 'any' } as const
  const buckets = Array.from({ length: OWN_BUCKETS }, (_, bucket) => bucket)
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
