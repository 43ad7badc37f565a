import type { Plot, PlotColumn, PlotNeighbour } from '../../feed/index.ts'
import { JsonBytes } from './json-bytes.ts'

const COMMA = 0x2c
const OPEN = 0x5b
const CLOSE = 0x5d
const NULL = Buffer.from('null')
const TRUE = Buffer.from('true')
const FALSE = Buffer.from('false')
const END = Buffer.from('},"success":true}')

/** Room for a number of a column, mostly. */
const NUMBER_BYTES = 12

/** A plot as JSON: its facts, and a list for each column. */
export function writePlot(plot: Plot): Buffer {
  const numbers = plot.columns.reduce((sum, { numbers }) => sum + numbers.length, 0)
  const out = new JsonBytes(1_000 + numbers * NUMBER_BYTES)
  const facts = JSON.stringify(factsOf(plot))
  out.raw(Buffer.from(`{"message":"","plot":${facts.slice(0, -1)}`))
  for (const column of plot.columns) writeColumn(out, column)
  out.raw(END)
  return out.finish()
}

function factsOf(plot: Plot): Readonly<Record<string, unknown>> {
  const { form, kind, valueType, unit, timeZone, from, until, spanMs, isMore } = plot
  return {
    component: { uid: plot.componentUid, id: plot.compId },
    stream: { uid: plot.streamUid, id: plot.streamId },
    ...{ form, kind, valueType, unit, timeZone, from, until },
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

function writeColumn(out: JsonBytes, { name, numbers, texts, isBoolean }: PlotColumn): void {
  out.raw(Buffer.from(`,"${name}":`))
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
