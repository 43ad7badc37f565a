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
export { SqlFailure } from './sql-failure.ts'
