import type { ExpressionType, ExpressionValue } from '../expression/index.ts'
import type { SqlCell } from './compiled-sql.ts'

/**
 * A cell of a query's row as a value: TRUE and FALSE are distinguished from 1 and 0 by the column's type or, in
 * columns of several types, by bytes; a LONG is a bigint only beyond 2^53.
 */
export function readCell(cell: SqlCell | Uint8Array, type: ExpressionType): ExpressionValue {
  if (cell instanceof Uint8Array) return cell[0] === 1
  if (type === 'BOOLEAN' && cell !== null) return Number(cell) !== 0
  if (typeof cell !== 'bigint') return cell
  const number = Number(cell)
  return Number.isSafeInteger(number) ? number : cell
}
