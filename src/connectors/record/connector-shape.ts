import { Type } from '../../base/index.ts'
import {
  descriptionShape,
  idShape,
  nameShape,
  referenceShape,
  revisionShape,
} from '../../catalog/shape/index.ts'
import { type ImportFields, importShape } from '../import/import-fields.ts'

/** What brings data to a connector. */
export const CONNECTOR_TYPES = ['HTTP', 'DB_IMPORT'] as const

/** Statements of one connector: more belong into several. */
const PROCS_MAX = 20

/** Long statements are a program; the body of a call that saves them has a megabyte. */
export const PROC_SQL_LENGTH_MAX = 200_000

const procShape = Type.Object({
  timeZoneId: Type.Optional(
    Type.String({ description: 'Time zone for times without one, UTC by default' }),
  ),
  sql: Type.String({
    maxLength: PROC_SQL_LENGTH_MAX,
    description: 'GS SQL that converts the payload to samples',
  }),
})

/** What a caller may say about a connector. */
export const connectorShape = Type.Object({
  id: idShape('Last part of the sink URL. Unique in the organization, not blank'),
  name: nameShape,
  description: descriptionShape,
  connType: Type.Optional(Type.Enum([...CONNECTOR_TYPES])),
  runningUser: Type.Optional(
    Type.Unsafe<{ readonly uid: string } | null>({
      ...referenceShape,
      description: 'The connector runs with the permissions of this user',
    }),
  ),
  isEnabled: Type.Optional(
    Type.Boolean({ description: 'If false, requests to its sink get status 404' }),
  ),
  procs: Type.Optional(
    Type.Array(procShape, {
      maxItems: PROCS_MAX,
      description: 'Run in order, in one atomic request. All have the same time zone',
    }),
  ),
  ...importShape,
  revision: revisionShape,
})

/** Statements and the zone of their times. */
export interface ConnectorProc {
  readonly timeZoneId: string
  readonly sql: string
}

/** A connector as the catalog keeps it; `connType` says which other fields it has. */
export type ConnectorBody = {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly connType: (typeof CONNECTOR_TYPES)[number]
  readonly runningUser: { readonly uid: string }
  readonly isEnabled: boolean
  readonly procs: readonly ConnectorProc[]
} & Partial<ImportFields>

/** A connector with where it is kept. */
export type Connector = ConnectorBody & {
  readonly uid: string
  readonly orgUid: string
  readonly revision: number
}
