import type { Span, Term } from '../../expression/index.ts'
import { labelColumn } from '../compiled-sql.ts'
import type { SqlScope } from './sql-scope.ts'
import type { StatementContext } from './statement-context.ts'

/** The term of label('name'): a column of the one table STREAM of FROM. */
export function labelTerm(
  statement: StatementContext,
  label: string,
  { scope, span }: { scope: SqlScope; span: Span },
): Term {
  const reads = scope.tables.flatMap(({ stored }) => (stored?.of === 'STREAM' ? [stored] : []))
  if (reads.length !== 1) {
    throw statement.failAt('label(…) needs exactly one table STREAM in FROM', span)
  }
  scope.met.own += 1
  const column = { name: labelColumn(label), type: 'STRING' } as const
  return statement.input(statement.useStored(reads[0], column), 'STRING', span)
}
