/** The records of the catalog that people edit: the same six calls for every kind. */
import { request } from './client.ts'
import type { Schema } from './paths.ts'
import { type QueryKey, queries } from './query-cache.ts'

/** The kinds and their records. */
export interface RecordKinds {
  readonly component: Schema<'Component'>
  readonly component_template: Schema<'ComponentTemplate'>
  readonly component_folder: Schema<'ComponentFolder'>
  readonly cycle: Schema<'Cycle'>
  readonly unit: Schema<'Unit'>
  readonly delete_profile: Schema<'DeleteProfile'>
  readonly dashboard: Schema<'Dashboard'>
  readonly connector: Schema<'Connector'>
  readonly connection: Schema<'Connection'>
  readonly query: Schema<'QueryRecord'>
  readonly channel: Schema<'Channel'>
  readonly alert: Schema<'Alert'>
}

export type RecordKind = keyof RecordKinds

/** A page of records. */
export interface RecordPage<K extends RecordKind> {
  readonly rows: ReadonlyArray<RecordKinds[K]>
  readonly total: number
}

/** What is answered about records of a kind, under its name. */
type Envelope = Readonly<Record<string, unknown>> & { readonly totalCount: number }

async function send(path: string, init: RequestInit): Promise<Envelope> {
  return (await (await request(path, init)).json()) as Envelope
}

const json = (method: string, body: object): RequestInit => ({
  method,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
})

const pathOf = (kind: RecordKind, uid: string) => `/api/${kind}/${encodeURIComponent(uid)}`

/** The name of a query about records of a kind; without a UID of the list. */
export const recordKey = (kind: RecordKind, ...more: QueryKey): QueryKey => [
  'record',
  kind,
  ...more,
]

/** A page of the records of a kind. */
export async function listRecords<K extends RecordKind>(
  kind: K,
  query: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<RecordPage<K>> {
  const found = await send(`/api/${kind}?${new URLSearchParams(query)}`, { signal })
  return { rows: found[kind] as ReadonlyArray<RecordKinds[K]>, total: found.totalCount }
}

/** One record; `new` gives one that is not saved. */
export async function getRecord<K extends RecordKind>(
  kind: K,
  uid: string,
  signal?: AbortSignal,
): Promise<RecordKinds[K]> {
  return (await send(pathOf(kind, uid), { signal }))[kind] as RecordKinds[K]
}

/** Saves a record: a blank UID makes one, otherwise the fields named are changed. */
export async function saveRecord<K extends RecordKind>(
  kind: K,
  uid: string,
  fields: object,
): Promise<RecordKinds[K]> {
  const path = uid === '' ? `/api/${kind}` : pathOf(kind, uid)
  const order = json(uid === '' ? 'PUT' : 'POST', { [kind]: fields })
  const saved = (await send(path, order))[kind] as RecordKinds[K]
  queries.invalidate(recordKey(kind))
  return saved
}

/** Deletes a record with all below it. */
export async function deleteRecord(kind: RecordKind, uid: string): Promise<void> {
  await send(pathOf(kind, uid), { method: 'DELETE' })
  queries.invalidate(recordKey(kind), uid)
}
