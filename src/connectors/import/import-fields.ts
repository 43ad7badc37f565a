/** What a connector that imports has beside what every connector has. */

import { Type } from '../../base/index.ts'
import { checkText, refuseField } from '../../catalog/shape/index.ts'
import { type ImportSchedule, readSchedule, scheduleShape } from './import-schedule.ts'

/** The fields of an import. */
export type ImportFields = {
  readonly connection: { readonly uid: string }
  readonly externalSql: string
  /** The most rows of a run; 0: all. */
  readonly maxRows: number
  readonly skipUnchangedRows: boolean
  readonly schedule: ImportSchedule | null
}

const SQL_LENGTH_MAX = 200_000
const MAX_ROWS_MAX = 1_000_000_000

/** What a caller may say about an import. */
export const importShape = {
  connection: Type.Optional(
    Type.Union([Type.Null(), Type.Object({ uid: Type.String() })], {
      description: 'DB_IMPORT only: the connection to read from',
    }),
  ),
  externalSql: Type.Optional(
    Type.String({
      maxLength: SQL_LENGTH_MAX,
      description: 'DB_IMPORT only: SQL sent to the database unchanged',
    }),
  ),
  maxRows: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_ROWS_MAX,
      description: 'DB_IMPORT only: row limit of a run, 0 = no limit',
    }),
  ),
  skipUnchangedRows: Type.Optional(
    Type.Boolean({
      description: 'DB_IMPORT only: skip rows that have not changed since they were imported',
    }),
  ),
  schedule: Type.Optional(scheduleShape),
}

/** An input, as far as its shape was checked. */
interface ImportInput {
  readonly connection?: { readonly uid: string } | null
  readonly externalSql?: string
  readonly maxRows?: number
  readonly skipUnchangedRows?: boolean
  readonly schedule?: { cron?: string; timeZoneId?: string; everyMinutes?: number } | null
}

/** An import that nothing is said of. */
export const IMPORT_DEFAULTS: ImportFields = {
  connection: { uid: '' },
  externalSql: '',
  maxRows: 0,
  skipUnchangedRows: true,
  schedule: null,
}

/** The fields of an import after an input is applied to those before; refuses what breaks a rule. */
export async function readImportFields(
  input: ImportInput,
  before: Partial<ImportFields>,
  hasConnection: (uid: string) => Promise<boolean>,
): Promise<ImportFields> {
  const known = { ...IMPORT_DEFAULTS, ...before }
  const connection = input.connection === undefined ? known.connection : input.connection
  const uid = connection?.uid ?? ''
  if (uid === '') refuseField('connector.connection', 'is missing. Choose the database to read')
  if (!(await hasConnection(uid))) {
    refuseField('connector.connection', 'is not a connection of this organization')
  }
  const { externalSql = known.externalSql, maxRows = known.maxRows } = input
  const { skipUnchangedRows = known.skipUnchangedRows } = input
  checkText('connector.externalSql', externalSql, SQL_LENGTH_MAX)
  if (externalSql.trim() === '') refuseField('connector.externalSql', 'must not be blank')
  const schedule =
    input.schedule === undefined ? known.schedule : await readSchedule(input.schedule)
  return { connection: { uid }, externalSql, maxRows, skipUnchangedRows, schedule }
}
