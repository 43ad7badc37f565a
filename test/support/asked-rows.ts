/** A stored table as a query asks for it, from rows in memory: what it leaves out, and sums of samples. */
import type { CompiledRead, SqlCell, SqlPredicate } from '../../src/sql/index.ts'
import type { StoredRow } from './run-gs-sql.ts'

type Ask = NonNullable<CompiledRead['ask']>

/** The rows of a table that a query asks for; `rowOf` gives the row of a query without tables. */
export function askedRows(
  { columns, ask }: CompiledRead,
  rows: readonly StoredRow[],
  rowOf: (text: Ask['given']) => readonly SqlCell[],
): readonly StoredRow[] {
  if (ask === undefined) return rows
  const given = rowOf(ask.given)
  const bounds = boundsOf(() => rowOf(ask.bounds))
  const kept = rows.filter(
    (row) =>
      ask.demands.every((demand) => fulfils(row, demand, given)) &&
      (bounds === undefined || ask.predicates.every((one) => fulfils(row, one, bounds))),
  )
  return ask.isSummed ? sumsOf(kept, periodOf(columns)) : kept
}

function boundsOf(read: () => readonly SqlCell[]): readonly SqlCell[] | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

function fulfils(row: StoredRow, { column, is, cells }: SqlPredicate, values: readonly SqlCell[]) {
  const value = row[column]
  const others = cells.map((cell) => (typeof cell === 'string' ? cell : values[cell]))
  return others.some((other) => {
    if (value === null || other === null) return false
    const order = compare(value, other)
    if (is === 'in') return order === 0
    if (is === '<' || is === '<=') return order < 0 || (is === '<=' && order === 0)
    return order > 0 || (is === '>=' && order === 0)
  })
}

function compare(one: NonNullable<SqlCell>, other: NonNullable<SqlCell>): number {
  const isText = typeof one === 'string'
  if (isText !== (typeof other === 'string')) return isText ? 1 : -1
  if (one === other) return 0
  return one < other ? -1 : one > other ? 1 : 0
}

/** The column of periods, and their length. */
function periodOf(
  columns: readonly string[],
): { readonly name: string; readonly ms: bigint } | undefined {
  const name = columns.find((column) => column.startsWith('period '))
  return name === undefined ? undefined : { name, ms: BigInt(name.split(' ')[1]) }
}

/** One row for each stream, or each period of one; texts are rows of their own. */
function sumsOf(rows: readonly StoredRow[], period: ReturnType<typeof periodOf>): StoredRow[] {
  const startOf = (time: SqlCell): bigint =>
    period === undefined ? 0n : BigInt(time ?? 0) - (BigInt(time ?? 0) % period.ms)
  const keyOf = ({ CID, ID, TIME, SAMPLE }: StoredRow): string =>
    `${CID}\n${ID}\n${startOf(TIME)}${typeof SAMPLE === 'string' ? `\n${TIME}` : ''}`
  return [...Map.groupBy(rows, keyOf).values()].map((group) => {
    const sorted = group.toSorted((a, b) => Number(a.TIME) - Number(b.TIME))
    const samples = sorted.map(({ SAMPLE }) => SAMPLE)
    const numbers = samples.map(Number)
    const [first, last] = [sorted[0], sorted[sorted.length - 1]]
    const isText = typeof first.SAMPLE === 'string'
    const total = numbers.reduce((sum, number) => sum + number, 0)
    return {
      ...first,
      ...(period === undefined ? {} : { [period.name]: startOf(first.TIME) }),
      'count()': BigInt(group.length),
      'sum()': isText ? first.SAMPLE : total,
      'mean()': isText ? first.SAMPLE : total / group.length,
      'min()': isText ? first.SAMPLE : Math.min(...numbers),
      'max()': isText ? first.SAMPLE : Math.max(...numbers),
      'first()': first.SAMPLE,
      'firstTime()': first.TIME,
      'last()': last.SAMPLE,
      'lastTime()': last.TIME,
    }
  })
}
