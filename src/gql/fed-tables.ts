/**
 * CSV_TABLE over a variable that is handed over as rows: its table is filled like a stored one, batch by batch,
 * so that nobody holds the whole text.
 */
import type {
  CompiledQuery,
  CompiledSource,
  CompiledSql,
  CompiledStatement,
  CsvTablePlan,
} from '../sql/index.ts'

/** A program whose tables over a variable are asked for as reads. */
export interface FedProgram {
  readonly program: CompiledSql
  /** How a read of a statement is filled; undefined where it is a stored table. */
  planOf(statement: number, read: number): CsvTablePlan | undefined
  /** How many reads are of the result. */
  readonly readCount: number
}

/** Holds the result of an import. */
const VARIABLE = '@JDBC_RESULT'

/** The program that asks for the rows of @JDBC_RESULT; undefined where something needs its text. */
export function feedTables(program: CompiledSql): FedProgram | undefined {
  const number = program.variables.indexOf(VARIABLE)
  if (program.statements.some((statement) => needsText(statement, number))) return undefined
  const isFed = (source: CompiledSource) => isOver(source, number)
  const plans = program.statements.map(({ query }) =>
    query.sources.filter(isFed).map(({ plan }) => plan as CsvTablePlan),
  )
  const fedQuery = (query: CompiledQuery): CompiledQuery => ({
    ...query,
    sources: query.sources.filter((source) => !isFed(source)),
    reads: [
      ...query.reads,
      ...query.sources.filter(isFed).map(({ table, columnCount }) => ({
        table,
        of: 'RESULT' as const,
        place: query.place,
        columns: Array.from({ length: columnCount }, (_, at) => `c${at}`),
      })),
    ],
  })
  const statements = program.statements.map((statement) => ({
    ...statement,
    query: fedQuery(statement.query),
  })) as readonly CompiledStatement[]
  return {
    program: { ...program, statements },
    readCount: plans.reduce((sum, { length }) => sum + length, 0),
    planOf: (statement, read) =>
      plans[statement]?.[read - program.statements[statement].query.reads.length],
  }
}

function isOver({ text }: CompiledSource, variable: number): boolean {
  return 'variable' in text && text.variable === variable
}

function needsText(statement: CompiledStatement, variable: number): boolean {
  if (statement.kind === 'set' && statement.variable === variable) return true
  const options = statement.kind === 'insert' ? statement.options : undefined
  if (options?.sources.some((source) => isOver(source, variable)) === true) return true
  return [statement.query, ...(options === undefined ? [] : [options])].some((query) =>
    readsText(query, variable),
  )
}

function readsText({ variables, sources, reads }: CompiledQuery, variable: number): boolean {
  if (variables.includes(variable)) return true
  const asked = reads.flatMap(({ ask }) => [ask?.given, ask?.bounds])
  if (asked.some((text) => text?.variables.includes(variable) === true)) return true
  return sources.some((source) => {
    if ('query' in source.text) return source.text.query.variables.includes(variable)
    // What is no CSV with commas means the text, not the rows.
    const { plan } = source
    return isOver(source, variable) && (plan.kind !== 'csv' || plan.delimiter !== ',')
  })
}
