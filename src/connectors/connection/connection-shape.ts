import type { Static } from 'typebox'
import { Type } from '../../base/index.ts'
import { idShape, nameShape, revisionShape } from '../../catalog/shape/index.ts'
import {
  DATABASE_KINDS,
  type DatabaseKind,
  TLS_MODES,
  type TlsMode,
} from '../database/database-port.ts'
import { PROC_SQL_LENGTH_MAX } from '../record/connector-shape.ts'

/** What the fields of a connection may have at most: what DNS and databases take. */
export const CONNECTION_LENGTHS = { host: 253, name: 128, password: 1_024 } as const

/** What a caller may say about a connection. */
export const connectionShape = Type.Object({
  id: idShape('Optional, unique in the organization'),
  name: nameShape,
  kind: Type.Optional(Type.Enum([...DATABASE_KINDS])),
  host: Type.Optional(
    Type.String({
      maxLength: CONNECTION_LENGTHS.host,
      description: 'Host name or IP address',
    }),
  ),
  port: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 65_535,
      description: 'Default: the usual port of the database',
    }),
  ),
  database: Type.Optional(
    Type.String({
      maxLength: CONNECTION_LENGTHS.name,
      description: 'Database name. For Oracle, the service name (required)',
    }),
  ),
  user: Type.Optional(Type.String({ maxLength: CONNECTION_LENGTHS.name })),
  password: Type.Optional(
    Type.String({
      maxLength: CONNECTION_LENGTHS.password,
      description:
        'Never returned. Must be sent again when kind, host, port, database, user, or tls changes, so that it never reaches another server',
    }),
  ),
  tls: Type.Optional(
    Type.Enum([...TLS_MODES], {
      description:
        'off: unencrypted. on: encrypted, certificate not checked. verify: encrypted, certificate checked',
    }),
  ),
  revision: revisionShape,
})

/** A statement whose first rows somebody wants to see before an import is saved. */
export const previewShape = Type.Object(
  {
    preview: Type.Object({
      connection: Type.Object({ uid: Type.String({ description: 'UID of the connection' }) }),
      externalSql: Type.String({
        description: 'The statement, which only reads',
        maxLength: PROC_SQL_LENGTH_MAX,
      }),
    }),
  },
  {
    examples: [
      {
        preview: {
          connection: { uid: '0192f3a1-7c1e-4b7a-9d55-0a1b2c3d4e5f' },
          externalSql: 'SELECT device, at, temp FROM readings',
        },
      },
    ],
  },
)

export type ConnectionInput = Static<typeof connectionShape>

/** A connection as the catalog keeps it. */
export type ConnectionBody = {
  readonly id: string
  readonly name: string
  readonly kind: DatabaseKind
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
  readonly sealedPassword: string
  readonly tls: TlsMode
}

/** The usual ports. */
export const DEFAULT_PORTS: Readonly<Record<DatabaseKind, number>> = {
  POSTGRESQL: 5432,
  MYSQL: 3306,
  SQLSERVER: 1433,
  ORACLE: 1521,
}
