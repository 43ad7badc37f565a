/** One series from InfluxDB to Weir: copied, read back, and compared. */
import { isUnreadable, readLineHead, seriesOfField } from '../intake/index.ts'
import type { Cell, FieldColumn, InfluxSource } from './influx-source.ts'
import type { SeriesOutcome } from './migration-progress.ts'
import { rowsOfSeries, type SeriesPlace, type SeriesRow } from './series-rows.ts'
import { FieldDigest, type Value, ValueDigest } from './value-digest.ts'
import type { WeirTarget } from './weir-target.ts'

/** What one write holds, but for a single longer line: far below what a service accepts. */
const BODY_LENGTH_MAX = 1024 * 1024
/** Reasons of rejections that are kept for a series. */
const REASONS_MAX = 10

/** Both ends, and the schema of the measurement. */
interface SeriesParts {
  readonly source: InfluxSource
  readonly target: WeirTarget
  readonly schema: Omit<SeriesPlace, 'tags'>
  onCopied(points: number): void
}

type Fields = ReadonlyMap<string, FieldDigest>

/** Copies a series, and compares what both sides hold of it. */
export async function migrateSeries(parts: SeriesParts, key: string): Promise<SeriesOutcome> {
  const { schema, source, target } = parts
  const bytes = Buffer.from(`${key} `)
  const head = readLineHead(bytes, 0, bytes.length)
  if (isUnreadable(head)) return unreadable(key, head.problem)
  const { tags } = head
  const seriesOf = (field: string) => seriesOfField(head, field)
  const fields: Fields = new Map(
    schema.columns.map(({ name }) => [name, new FieldDigest(seriesOf(name)?.isOnChange ?? false)]),
  )
  const writer = new LineWriter(target, key)
  let [points, rounded] = [0, 0]
  for await (const row of rowsOfSeries(source, { ...schema, tags })) {
    const values = valuesOf(schema.columns, row)
    for (const [name, value] of values) fields.get(name)?.add(row.ms, value)
    points += values.length
    rounded += values.filter(([, value]) => isRounded(value)).length
    if (await writer.add(row, values)) parts.onCopied(points)
  }
  await writer.flush()
  const differing: string[] = []
  for (const [name, field] of fields) {
    field.end()
    const difference = await compareField(target, seriesOf(name)?.series, field)
    if (difference !== undefined) differing.push(`${name}: ${difference}`)
  }
  const all = [...fields.values()]
  const samples = all.reduce((sum, { digest }) => sum + digest.count, 0)
  const shared = all.reduce((sum, { sharedCount }) => sum + sharedCount, 0)
  const rejected = Object.fromEntries(writer.rejected)
  return { series: key, points, samples, shared, rounded, rejected, differing }
}

function unreadable(series: string, problem: string): SeriesOutcome {
  const differing = [`cannot be read as line protocol: ${problem}`]
  return { series, points: 0, samples: 0, shared: 0, rounded: 0, rejected: {}, differing }
}

/** Of a field with several types a point has one; the others are null. */
function valuesOf(columns: readonly FieldColumn[], { cells }: SeriesRow): [string, Value][] {
  const values = new Map<string, Value>()
  for (const [at, { name }] of columns.entries()) {
    const cell: Cell = cells[at]
    if (cell !== null && !values.has(name)) values.set(name, cell)
  }
  return [...values]
}

function isRounded(value: Value): boolean {
  return typeof value === 'number' && Number.isInteger(value) && Math.abs(value) >= 2 ** 53
}

/** Undefined if Weir holds the same in the time of the field. */
async function compareField(
  target: WeirTarget,
  series: Readonly<Record<string, string>> | undefined,
  { digest, isOnChange }: FieldDigest,
): Promise<string | undefined> {
  if (digest.count === 0) return undefined
  if (series === undefined) return 'Weir cannot store a series with these tags'
  const range = { from: digest.first, until: digest.last + 1 }
  const there = new ValueDigest()
  let newer: readonly [time: number, value: Value] | undefined
  for await (const sample of target.samples(series, range)) {
    if (!isOnChange) there.add(...sample)
    else if (newer !== undefined && newer[1] !== sample[1]) there.add(...newer)
    newer = sample
  }
  if (isOnChange && newer !== undefined) there.add(...newer)
  if (there.count !== digest.count) return `${there.count} samples instead of ${digest.count}`
  return there.checksum === digest.checksum ? undefined : 'same number of samples, other values'
}

/** Gathers the points of a series as lines, and writes them. */
class LineWriter {
  /** How many lines were rejected for each reason. */
  readonly rejected = new Map<string, number>()
  readonly #target: WeirTarget
  readonly #key: string
  #lines: string[] = []
  #length = 0

  constructor(target: WeirTarget, key: string) {
    this.#target = target
    this.#key = key
  }

  /** Adds a point; whether lines were written. */
  async add({ ms, rest }: SeriesRow, values: readonly [string, Value][]): Promise<boolean> {
    if (values.length === 0) return false
    const fields = values.map(([name, value]) => `${escapeKey(name)}=${lineValue(value)}`)
    const time = BigInt(ms) * 1_000_000n + BigInt(rest)
    const line = `${this.#key} ${fields.join(',')} ${time}\n`
    this.#lines.push(line)
    this.#length += line.length
    if (this.#length < BODY_LENGTH_MAX) return false
    await this.flush()
    return true
  }

  async flush(): Promise<void> {
    if (this.#lines.length === 0) return
    const refused = await this.#target.write(this.#lines.join(''))
    this.#lines = []
    this.#length = 0
    for (const { reason } of refused) {
      const count = this.rejected.get(reason)
      const shown = count === undefined && this.rejected.size >= REASONS_MAX ? 'others' : reason
      this.rejected.set(shown, (this.rejected.get(shown) ?? 0) + 1)
    }
  }
}

function escapeKey(name: string): string {
  return name.replace(/[,= ]/g, '\\$&')
}

function lineValue(value: Value): string {
  if (typeof value !== 'string') return String(value)
  return `"${value.replace(/["\\]/g, '\\$&')}"`
}
