/** Connections as they are answered. */

import { Type } from '../../base/index.ts'
import { DATABASE_KINDS, TLS_MODES } from '../../connectors/index.ts'
import { EXAMPLE_UID, named, oneOf, orNull } from '../openapi/answer-schema.ts'

/** A connection; its password is never shown. */
export const connectionRecord = named(
  'Connection',
  {
    uid: Type.String({
      description: 'Assigned by the service, blank before the record is saved',
    }),
    id: Type.String({ description: 'Chosen by users, optional' }),
    name: Type.String(),
    kind: oneOf(DATABASE_KINDS),
    host: Type.String(),
    port: Type.Integer(),
    database: Type.String({ description: 'For Oracle, the service name' }),
    user: Type.String(),
    hasPassword: Type.Boolean({
      description: 'Whether a password is stored (encrypted, never returned)',
    }),
    tls: oneOf(TLS_MODES),
    revision: Type.Integer({ description: 'Number of changes' }),
  },
  {
    uid: EXAMPLE_UID,
    id: '',
    name: 'Plant history',
    kind: 'POSTGRESQL',
    host: 'db.example.com',
    port: 5432,
    database: 'plant',
    user: 'reader',
    hasPassword: true,
    tls: 'verify',
    revision: 1,
  },
)

const REASONS = [
  'ok',
  'no_driver',
  'not_allowed',
  'unknown_host',
  'refused',
  'unreachable',
  'timeout',
  'sign_in',
  'tls',
  'sql',
  'too_large',
  'lost',
  'cancelled',
]

const tried = {
  isOk: Type.Boolean(),
  message: Type.String({ description: 'Version of the server, or the reason of the failure' }),
  reason: oneOf(REASONS),
  tookMs: Type.Integer(),
}

/** The first rows of a statement. */
export const rowPreview = named(
  'RowPreview',
  {
    ...tried,
    columns: Type.Array(Type.String(), { description: 'Names of the first 50 columns' }),
    rows: Type.Array(Type.Array(orNull(Type.String())), {
      description: 'The first 20 rows, with at most 200 characters of each cell',
    }),
    hasMore: Type.Boolean({ description: 'Whether the statement returns more rows' }),
  },
  {
    isOk: true,
    message: 'Signed in to PostgreSQL 17.2, encrypted',
    reason: 'ok',
    tookMs: 58,
    columns: ['device', 'temperature'],
    rows: [['kiln', '812.5']],
    hasMore: false,
  },
)

/** What came of trying a connection. */
export const connectionTest = named('ConnectionTest', tried, {
  isOk: true,
  message: 'Signed in to PostgreSQL 17.2, encrypted',
  reason: 'ok',
  tookMs: 41,
})
