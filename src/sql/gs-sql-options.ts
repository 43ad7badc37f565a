import type { ExpressionType } from '../expression/index.ts'
import type { StoredTables } from './check/statement-context.ts'

/** What GS SQL is compiled with. */
export interface GsSqlOptions {
  /** The time zone of functions of dates that are given none; UTC if unsaid. */
  readonly timeZoneId?: string
  /** Variables that have values before the first statement, with their types; `SYSTEM_VARIABLES` if unsaid. */
  readonly variables?: Readonly<Record<string, ExpressionType>>
  /** Stored tables that may be read, with their columns; none if unsaid. */
  readonly stored?: StoredTables
}

/** The variables that the service sets: of calls to HTTP connectors, of database imports, and of queries over a range of time. */
export const SYSTEM_VARIABLES: Readonly<Record<string, ExpressionType>> = {
  '@HTTP_BODY': 'STRING',
  '@HTTP_QUERY_STRING': 'STRING',
  '@HTTP_METHOD': 'STRING',
  '@JDBC_RESULT': 'STRING',
  '@LAST_RUN_DATE': 'LONG',
  '@CONNECTOR_ID': 'STRING',
  '@FROM': 'LONG',
  '@UNTIL': 'LONG',
}
