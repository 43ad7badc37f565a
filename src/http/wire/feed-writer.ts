import { type FeedFields, type FeedSeries, formatValue } from '../../feed/index.ts'
import { JsonBytes } from './json-bytes.ts'

const DATA = Buffer.from(',"data":')
const FORMATTED = Buffer.from(',"fData":')
const START = Buffer.from(',"sdTime":')
const NULL = Buffer.from('null')
const TRUE = Buffer.from('true')
const FALSE = Buffer.from('false')
const COMMA = 0x2c
const CLOSE = 0x7d

/** What every sample of a series begins and ends with; keys come in the contract's order. */
function framesOf(series: FeedSeries, fields: FeedFields): { before: Buffer; unit: Buffer } {
  const compId = fields.compId ? `"compId":${JSON.stringify(series.compId)},` : ''
  const streamId = fields.streamId ? `"streamId":${JSON.stringify(series.streamId)},` : ''
  const unit = fields.unit ? `,"unit":${JSON.stringify(series.unit?.symbol ?? '')}` : ''
  return { before: Buffer.from(`{${compId}${streamId}"time":`), unit: Buffer.from(unit) }
}

function writeValue(out: JsonBytes, series: FeedSeries, index: number): void {
  const text = series.texts?.[index]
  if (series.gaps?.[index] === 1) out.raw(NULL)
  else if (text !== undefined) out.text(text)
  else if (series.isBoolean) out.raw(series.numbers[index] === 0 ? FALSE : TRUE)
  else out.number(series.numbers[index])
}

function formattedOf(series: FeedSeries, index: number): string {
  if (series.gaps?.[index] === 1) return ''
  return formatValue(series.texts?.[index] ?? series.numbers[index], series)
}

function writeSeries(out: JsonBytes, series: FeedSeries, fields: FeedFields): void {
  const { before, unit } = framesOf(series, fields)
  // One copy for what lies between two samples is cheaper than three.
  const between = Buffer.concat([Buffer.of(CLOSE, COMMA), before])
  for (let index = 0; index < series.count; index++) {
    out.raw(index === 0 ? before : between)
    out.whole(series.times[index])
    out.raw(DATA)
    writeValue(out, series, index)
    if (fields.fData) {
      out.raw(FORMATTED)
      out.text(formattedOf(series, index))
    }
    if (fields.unit) out.raw(unit)
    if (fields.sdTime && series.starts !== undefined) {
      out.raw(START)
      out.whole(series.starts[index])
    }
  }
  out.byte(CLOSE)
}

/** The compact JSON array of samples that feed, last_value and statistic calls answer. */
export function writeFeed(list: readonly FeedSeries[], fields: FeedFields): Buffer {
  const count = list.reduce((sum, series) => sum + series.count, 0)
  const out = new JsonBytes(2 + count * 48)
  out.byte(0x5b)
  let isFirst = true
  for (const series of list) {
    if (series.count === 0) continue
    if (!isFirst) out.byte(COMMA)
    isFirst = false
    writeSeries(out, series, fields)
  }
  out.byte(0x5d)
  return out.finish()
}
