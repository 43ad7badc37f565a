/**
 * What one organization may have, so that it cannot take the room of the others. The store counts
 * inside the commit that creates, so parallel calls never pass a quota together.
 */
import { type QuotaName, type Quotas, refuse } from '../../base/index.ts'
import {
  bytesOfComponent,
  bytesOfStream,
  type CatalogLimit,
  CatalogLimitReached,
  type CatalogStore,
  type CatalogWrite,
  type KindUsage,
  type PutComponent,
  type PutDocument,
  type PutStream,
  withCommit,
} from '../../store/index.ts'
import type { Organization } from '../organizations.ts'
import { MADE_KIND } from './organization-fence.ts'

/** What people and devices create at will; the audit log is the service's own and ends by itself. */
const COUNTED_KINDS: readonly string[] = [
  'component',
  'stream',
  'component_folder',
  'component_template',
  'cycle',
  'unit',
  'delete_profile',
  'dashboard',
  'channel',
  'alert',
  'api_key',
  'connector',
  'query',
]

/** What an organization has of what quotas count. */
export type OrganizationUsage = Readonly<Record<QuotaName, number>>

/**
 * An existing record may grow to this size even when the quota of bytes is used up, so that it can be named, typed, or
 * restricted. The number of records has its own quotas, which bound the total.
 */
const GROWN_BYTES_MAX = 2_048

/** The same store, which refuses with `quota_exceeded` what would take an organization past a quota. */
export function withQuotas(store: CatalogStore, quotas: Quotas): CatalogStore {
  return withCommit(store, async (writes, lease, limits = []) => {
    const quotaLimits = limitsOf(writes, quotas)
    try {
      try {
        return await store.commit(writes, lease, [...limits, ...quotaLimits])
      } catch (error) {
        if (!(error instanceof CatalogLimitReached) || error.limit.of !== 'bytes') throw error
        if (!(await isSmallChange(store, writes))) throw error
        const others = quotaLimits.filter((limit) => limit.of !== 'bytes')
        return await store.commit(writes, lease, [...limits, ...others])
      }
    } catch (error) {
      if (!(error instanceof CatalogLimitReached)) throw error
      const { max } = error.limit
      return refuse('quota_exceeded', { max, counted: countedBy(error.limit) })
    }
  })
}

/** Whether writes create nothing that is counted, and what they make longer stays small. */
async function isSmallChange(
  store: CatalogStore,
  writes: readonly CatalogWrite[],
): Promise<boolean> {
  for (const write of writes) {
    if (write.op === 'create') return false
    if (write.op === 'delete' || write.op === 'expect') continue
    if (!COUNTED_KINDS.includes(write.kind)) continue
    if (write.expectedRevision === 'any' || write.expectedRevision === 0) return false
    const bytes = bytesOf(write)
    if (bytes <= GROWN_BYTES_MAX) continue
    const before = await bytesBefore(store, write)
    // Of another revision nothing comes: the commit is a conflict then.
    if (before === undefined || bytes > before) return false
  }
  return true
}

type Put = PutDocument | PutComponent | PutStream

function bytesOf(put: Put): number {
  if (put.op === 'put_component') return bytesOfComponent(put)
  return put.op === 'put_stream' ? bytesOfStream(put) : bytesOfDocument(put)
}

/** The bytes of what is there in the place of a put, undefined when nothing is. */
async function bytesBefore(store: CatalogStore, put: Put): Promise<number | undefined> {
  if (put.op === 'put_component') {
    const component = await store.components.get(put.orgUid, put.uid)
    return component && bytesOfComponent(component)
  }
  if (put.op === 'put_stream') {
    const stream = await store.components.getStream(put.orgUid, put.uid)
    return stream && bytesOfStream(stream)
  }
  const document = await store.get(put)
  return document && bytesOfDocument(document)
}

function bytesOfDocument({ listKey = '', body }: Pick<PutDocument, 'listKey' | 'body'>): number {
  return Buffer.byteLength(listKey) + Buffer.byteLength(JSON.stringify(body))
}

function countedBy({ of, kinds }: CatalogLimit): string {
  if (of === 'bytes') return 'bytes of components, streams and other records'
  return kinds.includes(MADE_KIND) ? 'additional organizations' : `${kinds[0]}s`
}

/** What the catalog has of an organization: all but its files. */
export async function catalogUsageOf(
  store: CatalogStore,
  { uid, originUid }: Pick<Organization, 'uid' | 'originUid'>,
): Promise<Omit<OrganizationUsage, 'fileBytes'>> {
  const usage = await store.usage(uid)
  const ofOrigin = originUid === uid ? usage : await store.usage(originUid)
  const counted = usage.filter(({ kind }) => COUNTED_KINDS.includes(kind))
  return {
    components: documentsOf(usage, 'component'),
    streams: documentsOf(usage, 'stream'),
    catalogBytes: counted.reduce((sum, { bytes }) => sum + bytes, 0),
    organizations: documentsOf(ofOrigin, MADE_KIND),
  }
}

function documentsOf(usage: readonly KindUsage[], kind: string): number {
  return usage.find((one) => one.kind === kind)?.documents ?? 0
}

/** The limits of what people and devices create in an organization. */
function deviceLimits(
  orgUid: string,
  { components, streams, catalogBytes }: Quotas,
): CatalogLimit[] {
  return [
    ...limitOf({ orgUid, kinds: ['component'], of: 'documents' }, components),
    ...limitOf({ orgUid, kinds: ['stream'], of: 'documents' }, streams),
    ...limitOf({ orgUid, kinds: COUNTED_KINDS, of: 'bytes' }, catalogBytes),
  ]
}

/** The limits that hold for a commit: none when it creates and changes nothing that is counted. */
function limitsOf(writes: readonly CatalogWrite[], quotas: Quotas): CatalogLimit[] {
  const touched = new Set<string>()
  const origins: string[] = []
  for (const { op, orgUid, kind } of writes) {
    if (op === 'delete' || op === 'expect' || orgUid === '') continue
    if (COUNTED_KINDS.includes(kind)) touched.add(orgUid)
    else if (kind === MADE_KIND) origins.push(orgUid)
  }
  const { organizations } = quotas
  return [
    ...[...touched].flatMap((orgUid) => deviceLimits(orgUid, quotas)),
    ...origins.flatMap((orgUid) =>
      limitOf({ orgUid, kinds: [MADE_KIND], of: 'documents' }, organizations),
    ),
  ]
}

function limitOf(what: Omit<CatalogLimit, 'max'>, max: number | undefined): CatalogLimit[] {
  return max === undefined ? [] : [{ ...what, max }]
}
