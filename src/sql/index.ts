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
  type SourceType,
  type SqlCell,
  type SqlColumn,
  type SqlPlace,
} from './compiled-sql.ts'
export type { InputBatch } from './run/input-batch.ts'
export {
  type SqlCall,
  SqlRunError,
  type WantedRead,
} from './run/sql-call.ts'
export { type SqlRunnerSettings, SqlRunners } from './run/sql-runners.ts'
export { SqlFailure } from './sql-failure.ts'
