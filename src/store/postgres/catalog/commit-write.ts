/** The statements that write what a group of commits has changed: a few, however many records there are. */
import { countedOrdinal } from '../../../base/index.ts'
import { jsonOrNull, typeOf } from '../../fields/packed-fields.ts'
import { toStored } from '../connection/stored-text.ts'
import { labelsOrNull, storedOrNull } from './catalog-rows.ts'
import type {
  ClaimSlot,
  CommitState,
  ComponentSlot,
  DocumentSlot,
  StoredChange,
  StreamSlot,
} from './commit-state.ts'

/** Rows of one statement: its arrays are some megabytes of text. */
const ROWS_MAX = 5_000
/** Changes of one row of the log: what a reader takes apart at once. */
const CHANGES_PER_ROW = 500

/** A column of new values: the type of its elements, and one for each row. */
type Column = readonly [type: string, values: readonly unknown[]]

/** A statement with its parameters. */
export interface SqlStatement {
  readonly sql: string
  readonly params: readonly unknown[]
}

/** What writes the changes of a state. Nothing is sent before all of it is there. */
export function statementsOf(state: CommitState): SqlStatement[] {
  return [
    ...writeDocuments([...state.documents.values()]),
    ...writeComponents([...state.components.values()]),
    ...writeStreams(state),
    ...writeClaims([...state.claims.values()]),
    ...writeTallies(state),
  ]
}

function writeDocuments(slots: readonly DocumentSlot[]): SqlStatement[] {
  const gone = slots.filter(({ stored, current }) => stored !== undefined && current === undefined)
  const put = slots.filter(({ written }) => written !== undefined)
  return [
    ...inParts(gone, (some) =>
      statement(
        `DELETE FROM document d USING unnest($1::text[], $2::text[], $3::text[]) AS k (org, kind, uid)
          WHERE d.org = k.org AND d.kind = k.kind AND d.uid = k.uid`,
        [
          some.map(({ key }) => toStored(key.orgUid)),
          some.map(({ key }) => toStored(key.kind)),
          some.map(({ key }) => toStored(key.uid)),
        ],
      ),
    ),
    ...inParts(put, (some) => {
      const columns = documentColumns(some)
      const names = Object.keys(columns)
      const changed = names.slice(3).map((name) => `${name} = excluded.${name}`)
      return statement(
        `INSERT INTO document (${names.join(', ')}) SELECT * FROM ${unnestOf(Object.values(columns))}
          ON CONFLICT (org, kind, uid) DO UPDATE SET ${changed.join(', ')}`,
        valuesOf(columns),
      )
    }),
  ]
}

function documentColumns(slots: readonly DocumentSlot[]): Record<string, Column> {
  const heads = slots.map(({ current }) => required(current))
  const puts = slots.map(({ written }) => required(written))
  return {
    org: ['text', slots.map(({ key }) => toStored(key.orgUid))],
    kind: ['text', slots.map(({ key }) => toStored(key.kind))],
    uid: ['text', slots.map(({ key }) => toStored(key.uid))],
    parent: ['text', heads.map(({ parentUid }) => toStored(parentUid))],
    revision: ['integer', heads.map(({ revision }) => revision)],
    list_key: ['text', puts.map(({ listKey = '' }) => toStored(listKey))],
    expires_at_ms: ['bigint', heads.map(({ expiresAtMs }) => expiresAtMs ?? null)],
    claims: ['text', heads.map(({ claims }) => jsonOrNull(claims))],
    body: ['text', puts.map(({ body }) => JSON.stringify(body))],
    bytes: ['integer', heads.map(({ bytes }) => bytes)],
  }
}

function writeComponents(slots: readonly ComponentSlot[]): SqlStatement[] {
  const gone = slots.filter((slot) => slot.stored && slot.stored.number !== slot.current?.number)
  const made = slots.filter((slot) => slot.current && slot.stored?.number !== slot.current.number)
  const changed = slots.filter(
    (slot) => slot.written !== undefined && slot.stored?.number === slot.current?.number,
  )
  const renamed = changed.filter(({ stored, current }) => stored?.id !== current?.id)
  return [
    ...inParts(gone, (some) =>
      statement('DELETE FROM component WHERE number = ANY ($1::bigint[])', [
        some.map(({ stored }) => stored?.number),
      ]),
    ),
    // Components that swap their IDs would meet in the index.
    ...inParts(renamed, (some) =>
      statement('UPDATE component SET id = NULL WHERE number = ANY ($1::bigint[])', [
        some.map(({ stored }) => stored?.number),
      ]),
    ),
    ...inParts(changed, (some) => update('component', componentColumns(some))),
    ...inParts(made, (some) => insert('component', componentColumns(some))),
  ]
}

function componentColumns(slots: readonly ComponentSlot[]): Record<string, Column> {
  const heads = slots.map(({ current }) => required(current))
  const fields = slots.map(({ written }) => required(written))
  return {
    number: ['bigint', heads.map(({ number }) => number)],
    org: ['text', heads.map(({ orgUid }) => toStored(orgUid))],
    uid: ['uuid', slots.map(({ key }) => key.uid)],
    revision: ['integer', heads.map(({ revision }) => revision)],
    id: ['text', heads.map(({ id }) => storedOrNull(id))],
    name: ['text', fields.map(({ name }) => toStored(name))],
    folder: ['text', fields.map(({ folder }) => toStored(folder))],
    time_zone: ['text', fields.map(({ timeZone }) => toStored(timeZone))],
    created_at_ms: ['bigint', fields.map(({ createdAtMs }) => createdAtMs)],
    owner: ['text', fields.map(({ owner }) => (owner === null ? null : JSON.stringify(owner)))],
    last_ordinal: ['integer', fields.map(({ lastOrdinal }) => lastOrdinal)],
    addressed_as: ['text', fields.map(({ addressedAs }) => jsonOrNull(addressedAs))],
    more: ['text', fields.map(({ more }) => jsonOrNull(more))],
    bytes: ['integer', heads.map(({ bytes }) => bytes)],
  }
}

function writeStreams(state: CommitState): SqlStatement[] {
  const slots = [...state.streams.values()]
  const gone = slots.filter((slot) => slot.stored && slot.stored.handle !== slot.current?.handle)
  const made = slots.filter((slot) => slot.current && slot.stored?.handle !== slot.current.handle)
  const changed = slots.filter(
    (slot) => slot.written !== undefined && slot.stored?.handle === slot.current?.handle,
  )
  const renamed = changed.filter(({ stored, current }) => stored?.id !== current?.id)
  const numberOf = (uid: string) => state.components.get(uid)?.current?.number
  return [
    ...inParts(gone, (some) =>
      statement('DELETE FROM stream WHERE handle = ANY ($1::bigint[])', [
        some.map(({ stored }) => stored?.handle),
      ]),
    ),
    ...inParts(renamed, (some) =>
      statement('UPDATE stream SET id = NULL WHERE handle = ANY ($1::bigint[])', [
        some.map(({ stored }) => stored?.handle),
      ]),
    ),
    ...inParts(changed, (some) => update('stream', streamColumns(some, numberOf))),
    ...inParts(made, (some) => insert('stream', streamColumns(some, numberOf))),
  ]
}

function streamColumns(
  slots: readonly StreamSlot[],
  numberOf: (componentUid: string) => number | undefined,
): Record<string, Column> {
  const heads = slots.map(({ current }) => required(current))
  const fields = slots.map(({ written }) => required(written))
  return {
    handle: ['bigint', heads.map(({ handle }) => handle)],
    component: ['bigint', heads.map(({ componentUid }) => numberOf(componentUid))],
    uid: ['uuid', slots.map(({ key }) => key.uid)],
    ordinal: [
      'integer',
      slots.map(({ key }, at) => countedOrdinal(heads[at].componentUid, key.uid)),
    ],
    revision: ['integer', heads.map(({ revision }) => revision)],
    id: ['text', heads.map(({ id }) => storedOrNull(id))],
    name: ['text', fields.map(({ id, name }) => (name === id ? null : toStored(name)))],
    place: ['integer', fields.map(({ order }) => order)],
    type: ['integer', fields.map(typeOf)],
    grid: ['text', fields.map(({ grid }) => storedOrNull(grid))],
    labels: ['text', fields.map(({ labels }) => labelsOrNull(labels))],
    series: ['text', fields.map(({ series }) => labelsOrNull(series))],
    more: ['text', fields.map(({ more }) => jsonOrNull(more))],
    bytes: ['integer', heads.map(({ bytes }) => bytes)],
  }
}

function writeClaims(slots: readonly ClaimSlot[]): SqlStatement[] {
  const isHeldAsBefore = ({ stored, holder }: ClaimSlot) =>
    stored?.kind === holder?.kind && stored?.uid === holder?.uid
  const changed = slots.filter((slot) => !isHeldAsBefore(slot))
  const gone = changed.filter(({ stored }) => stored !== undefined)
  const made = changed.filter(({ holder }) => holder !== undefined)
  return [
    ...inParts(gone, (some) =>
      statement(
        `DELETE FROM claim c USING unnest($1::text[], $2::text[]) AS k (org, claim)
          WHERE c.org = k.org AND c.claim = k.claim`,
        [some.map(({ orgUid }) => toStored(orgUid)), some.map(({ claim }) => toStored(claim))],
      ),
    ),
    ...inParts(made, (some) => {
      const holders = some.map(({ holder }) => required(holder))
      return insert('claim', {
        org: ['text', some.map(({ orgUid }) => toStored(orgUid))],
        claim: ['text', some.map(({ claim }) => toStored(claim))],
        kind: ['text', holders.map(({ kind }) => toStored(kind))],
        uid: ['text', holders.map(({ uid }) => toStored(uid))],
      })
    }),
  ]
}

function writeTallies(state: CommitState): SqlStatement[] {
  const tallies = [...state.tallies.values()]
  if (tallies.length === 0) return []
  const write = statement(
    `INSERT INTO tally AS t (org, kind, documents, bytes)
      SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[])
      ON CONFLICT (org, kind) DO UPDATE
        SET documents = t.documents + excluded.documents, bytes = t.bytes + excluded.bytes`,
    [
      tallies.map(({ orgUid }) => toStored(orgUid)),
      tallies.map(({ kind }) => toStored(kind)),
      tallies.map(({ documents }) => documents),
      tallies.map(({ bytes }) => bytes),
    ],
  )
  return [write]
}

/** Writes the changes behind the last one of the log, in rows of some hundred. */
export function writeChanges(
  changes: readonly StoredChange[],
  { lastChange, commitKey }: { readonly lastChange: number; readonly commitKey: string },
): SqlStatement {
  const parts: StoredChange[][] = []
  for (let at = 0; at < changes.length; at += CHANGES_PER_ROW) {
    parts.push(changes.slice(at, at + CHANGES_PER_ROW))
  }
  let cursor = lastChange
  const cursors = parts.map((part) => {
    cursor += part.length
    return cursor
  })
  return insert('change', {
    cursor: ['bigint', cursors],
    changes: ['integer', parts.map((part) => part.length)],
    commit_key: ['uuid', parts.map(() => commitKey)],
    body: ['text', parts.map((part) => JSON.stringify(part))],
  })
}

function statement(sql: string, params: readonly unknown[]): SqlStatement {
  return { sql, params }
}

function insert(table: string, columns: Record<string, Column>): SqlStatement {
  const names = Object.keys(columns).join(', ')
  const sql = `INSERT INTO ${table} (${names}) SELECT * FROM ${unnestOf(Object.values(columns))}`
  return statement(sql, valuesOf(columns))
}

/** Changes rows by the first of the columns, which is the key. */
function update(table: string, columns: Record<string, Column>): SqlStatement {
  const [key, ...others] = Object.keys(columns)
  const changes = others.map((name) => `${name} = n.${name}`).join(', ')
  const sql = `UPDATE ${table} t SET ${changes}
    FROM ${unnestOf(Object.values(columns))} AS n (${[key, ...others].join(', ')}) WHERE t.${key} = n.${key}`
  return statement(sql, valuesOf(columns))
}

function unnestOf(columns: readonly Column[]): string {
  return `unnest(${columns.map(([type], at) => `$${at + 1}::${type}[]`).join(', ')})`
}

function valuesOf(columns: Record<string, Column>): unknown[] {
  return Object.values(columns).map(([, values]) => values)
}

function inParts<T>(
  items: readonly T[],
  write: (some: readonly T[]) => SqlStatement,
): SqlStatement[] {
  const statements: SqlStatement[] = []
  for (let at = 0; at < items.length; at += ROWS_MAX)
    statements.push(write(items.slice(at, at + ROWS_MAX)))
  return statements
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('a record that is written has its fields')
  return value
}
