import type { ExpressionType, ExpressionValue } from '../expression/index.ts'
import type { SqlCell } from './compiled-sql.ts'

/**
 * Converts a cell of a query's row to a value. The type of the column distinguishes TRUE and FALSE from 1 and 0;
 * columns of several types have bytes for them. A LONG is a bigint only beyond 2^53.
 */
export function readCell(cell: SqlCell | Uint8Array, type: ExpressionType): ExpressionValue {
  if (cell instanceof Uint8Array) return cell[0] === 1
  if (type === 'BOOLEAN' && cell !== null) return Number(cell) !== 0
  if (typeof cell !== 'bigint') return cell
  const number = Number(cell)
  return Number.isSafeInteger(number) ? number : cell
}
