import { DatabaseSync, type StatementSync } from 'node:sqlite'
import {
  type CheckedExpression,
  type ExpressionType,
  type ExpressionValue,
  printSql,
  type SqlValue,
  sqlFunctions,
} from '../../src/expression/index.ts'

/** SQLite with the functions that the SQL of expressions asks for. */
export class ExpressionSqlite {
  readonly #db = new DatabaseSync(':memory:')

  constructor() {
    for (const { name, call } of sqlFunctions) {
      this.#db.function(name, { varargs: true, useBigIntArguments: true }, call as never)
    }
  }

  /** The value of an expression for values of its variables, as SQLite has it. */
  evaluate(checked: CheckedExpression, values: readonly ExpressionValue[] = []): ExpressionValue {
    const { variables, used } = checked
    const places = new Map(used.map((index, place) => [index, `?${place + 1}`]))
    const sql = `SELECT ${printSql(checked, (_, index) => places.get(index) ?? 'missing')} AS value`
    const statement: StatementSync = this.#db.prepare(sql)
    statement.setReadBigInts(true)
    const bound = used.map((index) => toSql(values[index], variables[index].type))
    const row = statement.get(...bound) as { value: SqlValue }
    return fromSql(row.value, checked.type)
  }

  close(): void {
    this.#db.close()
  }
}

function toSql(value: ExpressionValue, type: ExpressionType): SqlValue {
  if (value === null || typeof value === 'string' || typeof value === 'bigint') return value
  if (typeof value === 'boolean') return value ? 1n : 0n
  return type !== 'DOUBLE' && Number.isSafeInteger(value) ? BigInt(value) : value
}

function fromSql(value: SqlValue, type: ExpressionType): ExpressionValue {
  if (type === 'BOOLEAN' && typeof value === 'bigint') return value !== 0n
  if (typeof value !== 'bigint') return value
  return Number.isSafeInteger(Number(value)) ? Number(value) : value
}
