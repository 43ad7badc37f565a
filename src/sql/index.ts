export type { StoredTables } from './check/statement-context.ts'
export type { StoredColumn } from './check/stored-read.ts'
export { compileGsSql } from './compile-gs-sql.ts'
export { CompileThread } from './compile-thread.ts'
export {
  type CompiledInsert,
  type CompiledQuery,
  type CompiledRead,
  type CompiledSelect,
  type CompiledSet,
  type CompiledSource,
  type CompiledSql,
  type CompiledStatement,
  type CsvTablePlan,
  INSERT_OPTIONS,
  type JsonStep,
  type JsonTablePlan,
  LABEL_COLUMN,
  type SourceType,
  type SqlCell,
  type SqlColumn,
  type SqlPlace,
  type SqlPredicate,
} from './compiled-sql.ts'
export { registerSqlFunctions } from './functions/register-functions.ts'
export { type GsSqlOptions, SYSTEM_VARIABLES } from './gs-sql-options.ts'
export { readCell } from './read-cell.ts'
export type { RowCell } from './run/cell-codec.ts'
export type { InputBatch } from './run/input-batch.ts'
export {
  type RunKind,
  type SqlCall,
  SqlRunError,
  type WantedRead,
} from './run/sql-call.ts'
export { type SqlRunnerSettings, SqlRunners } from './run/sql-runners.ts'
export { csvCell, loadSource } from './source/load-source.ts'
export { failureAt, SqlFailure } from './sql-failure.ts'
export { GS_SQL_LENGTH_MAX } from './syntax/gs-sql-limits.ts'
export { AGGREGATES, SOFT_WORDS, SQL_KEYWORDS } from './syntax/sql-words.ts'
