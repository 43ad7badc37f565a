import type { Static } from 'typebox'
import { Type } from '../../base/index.ts'
import {
  checkText,
  DESCRIPTION_LENGTH_MAX,
  descriptionShape,
  idShape,
  NAME_LENGTH_MAX,
  nameShape,
  readTimeZoneField,
  revisionShape,
  shapeCheck,
} from '../shape/record-checks.ts'
import type { RecordRules } from './simple-records.ts'

/** As long as a text of GS SQL may be. */
const SQL_LENGTH_MAX = 200_000

/** What a caller may say about a saved query. */
export const queryShape = Type.Object({
  id: idShape('Unique in the organization, may be blank'),
  name: nameShape,
  description: descriptionShape,
  sql: Type.Optional(
    Type.String({
      maxLength: SQL_LENGTH_MAX,
      description: 'A text of GS SQL; checked when it is saved',
    }),
  ),
  timeZoneId: Type.Optional(Type.String({ description: 'An IANA name, for dates; blank is UTC' })),
  revision: revisionShape,
})

/** A saved query as the catalog keeps it; who keeps it has checked its text. */
export type QueryBody = {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly sql: string
  readonly timeZoneId: string
}

/** The rules of saved queries. */
export const queryRules: RecordRules<QueryBody> = {
  kind: 'query',
  check: shapeCheck('query', queryShape),
  read: readQuery,
  defaults: { id: '', name: '', description: '', sql: '', timeZoneId: 'UTC' },
}

function readQuery(input: Static<typeof queryShape>, before: QueryBody): QueryBody {
  const { id = before.id, description = before.description, sql = before.sql } = input
  const name = input.name ?? (before.name || id)
  checkText('query.name', name, NAME_LENGTH_MAX)
  checkText('query.description', description, DESCRIPTION_LENGTH_MAX)
  checkText('query.sql', sql, SQL_LENGTH_MAX)
  const timeZoneId =
    input.timeZoneId === undefined
      ? before.timeZoneId
      : readTimeZoneField('query.timeZoneId', input.timeZoneId || 'UTC')
  return { id, name, description, sql, timeZoneId }
}
