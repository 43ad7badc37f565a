import { Refusal } from '../../base/index.ts'
import type { Plot, PlotColumn, PlotNeighbour } from '../../feed/index.ts'
import { JsonBytes } from './json-bytes.ts'

const COMMA = 0x2c
const OPEN = 0x5b
const CLOSE = 0x5d
const NULL = Buffer.from('null')
const TRUE = Buffer.from('true')
const FALSE = Buffer.from('false')
const END = Buffer.from(',"success":true}')
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** Room for a number of a column, mostly. */
const NUMBER_BYTES = 12

/** A plot as JSON: its facts, and a list for each column. */
export function writePlot(plot: Plot): Buffer {
  const out = new JsonBytes(sizeOf(plot))
  out.raw(Buffer.from('{"message":"","plot":'))
  writeOne(out, plot)
  out.raw(END)
  return out.finish()
}

/** The answer to one plot of a list: the plot, or why there is none. */
export function writePlotEntry(entry: Plot | Refusal): Buffer {
  if (entry instanceof Refusal) {
    const { status, code, message } = entry
    return Buffer.from(JSON.stringify({ error: { status, code, message } }))
  }
  const out = new JsonBytes(sizeOf(entry))
  out.raw(Buffer.from('{"plot":'))
  writeOne(out, entry)
  out.byte(CLOSE_OBJECT)
  return out.finish()
}

/** A list of plots as JSON, from its entries in their order. */
export function joinPlotEntries(entries: readonly Buffer[]): Buffer {
  const parts: Buffer[] = [Buffer.from('{"message":"","answer":[')]
  for (const [at, entry] of entries.entries()) {
    if (at > 0) parts.push(Buffer.of(COMMA))
    parts.push(entry)
  }
  parts.push(Buffer.of(CLOSE), END)
  return Buffer.concat(parts)
}

function sizeOf({ columns }: Plot): number {
  return 1_000 + columns.reduce((sum, { numbers }) => sum + numbers.length, 0) * NUMBER_BYTES
}

function writeOne(out: JsonBytes, plot: Plot): void {
  const facts = JSON.stringify(factsOf(plot))
  out.byte(OPEN_OBJECT)
  out.raw(Buffer.from(facts.slice(1, -1)))
  for (const column of plot.columns) writeColumn(out, column)
  out.byte(CLOSE_OBJECT)
}

/**
 * A plot in four columns: for each entry the time of its last sample, its least and greatest number, and its
 * last value; a sample that stands for itself is all three.
 */
export function writePlainPlot(plot: Plot): Buffer {
  const columnOf = (...names: readonly string[]) =>
    names.flatMap((name) => plot.columns.find((column) => column.name === name) ?? [])[0]
  const time = columnOf('end', 'time')
  const last = columnOf('last', 'value')
  const hasNumbers = plot.kind === 'number' || plot.kind === 'boolean'
  const none = { numbers: new Float64Array(time.numbers.length).fill(Number.NaN) }
  const alone = hasNumbers ? last : none
  const shown = [time, columnOf('min') ?? alone, columnOf('max') ?? alone, last]
  const out = new JsonBytes(1_000 + time.numbers.length * shown.length * NUMBER_BYTES)
  out.raw(Buffer.from(`{"sd":${plot.from},"ed":${plot.until},"columns":{`))
  for (const [at, name] of ['time', 'min', 'max', 'last'].entries())
    writeColumn(out, { ...shown[at], name }, at === 0 ? '' : ',')
  out.raw(Buffer.from('}}'))
  return out.finish()
}

function factsOf(plot: Plot): Readonly<Record<string, unknown>> {
  const { form, kind, valueType, unit, numberFormat, timeZone, from, until, spanMs, isMore } = plot
  return {
    component: { uid: plot.componentUid, id: plot.compId },
    stream: { uid: plot.streamUid, id: plot.streamId },
    form,
    kind,
    valueType,
    unit,
    numberFormat,
    timeZone,
    from,
    until,
    ...(spanMs === undefined ? {} : { spanMs }),
    ...(isMore ? { more: true } : {}),
    firstTime: plot.firstTime ?? null,
    lastTime: plot.lastTime ?? null,
    ...(form === 'periods' ? {} : { before: shown(plot.before), after: shown(plot.after) }),
  }
}

function shown(neighbour: PlotNeighbour | undefined): PlotNeighbour | null {
  return neighbour ?? null
}

function writeColumn(
  out: JsonBytes,
  { name, numbers, texts, isBoolean }: PlotColumn,
  before = ',',
): void {
  out.raw(Buffer.from(`${before}"${name}":`))
  out.byte(OPEN)
  for (let at = 0; at < numbers.length; at++) {
    if (at > 0) out.byte(COMMA)
    const text = texts?.[at]
    const value = numbers[at]
    if (text !== undefined) out.text(text)
    else if (Number.isNaN(value)) out.raw(NULL)
    else if (isBoolean) out.raw(value === 0 ? FALSE : TRUE)
    else out.number(value)
  }
  out.byte(CLOSE)
}
