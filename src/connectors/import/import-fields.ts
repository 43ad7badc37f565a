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
      description: 'The database; of DB_IMPORT',
    }),
  ),
  externalSql: Type.Optional(
    Type.String({
      maxLength: SQL_LENGTH_MAX,
      description: 'Sent to the database as it stands; of DB_IMPORT',
    }),
  ),
  maxRows: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_ROWS_MAX,
      description: 'The most rows of a run, 0: all; of DB_IMPORT',
    }),
  ),
  skipUnchangedRows: Type.Optional(
    Type.Boolean({
      description: 'Whether rows are left out that were imported like this before; of DB_IMPORT',
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
  if (uid === '') refuseField('connector.connection', 'must name the database that is read')
  if (!(await hasConnection(uid))) {
    refuseField('connector.connection', 'is no connection of this organization')
  }
  const { externalSql = known.externalSql, maxRows = known.maxRows } = input
  const { skipUnchangedRows = known.skipUnchangedRows } = input
  checkText('connector.externalSql', externalSql, SQL_LENGTH_MAX)
  if (externalSql.trim() === '') refuseField('connector.externalSql', 'must not be blank')
  const schedule =
    input.schedule === undefined ? known.schedule : await readSchedule(input.schedule)
  return { connection: { uid }, externalSql, maxRows, skipUnchangedRows, schedule }
}
