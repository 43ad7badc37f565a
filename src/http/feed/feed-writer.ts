import { nextIteration } from '../../base/index.ts'
import { type FeedFields, type FeedSeries, formatValue } from '../../feed/index.ts'
import { JsonBytes } from './json-bytes.ts'
import { writeNumberRows } from './number-rows.ts'

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
  out.raw(before)
  const { count, times, numbers } = series
  if (isNumbersOnly(series, fields)) {
    writeNumberRows(out, { count, times, numbers, beforeTime: between, beforeNumber: DATA })
  } else {
    for (let index = 0; index < count; index++) {
      if (index > 0) out.raw(between)
      writeRow(out, series, { fields, unit, index })
    }
  }
  out.byte(CLOSE)
}

interface Row {
  readonly fields: FeedFields
  readonly unit: Buffer
  readonly index: number
}

function writeRow(out: JsonBytes, series: FeedSeries, row: Row): void {
  out.whole(series.times[row.index])
  out.raw(DATA)
  writeValue(out, series, row.index)
  writeExtras(out, series, row)
}

/** Whether samples are shown as a time and a number only, as most are. */
function isNumbersOnly({ texts, gaps, isBoolean }: FeedSeries, fields: FeedFields): boolean {
  const hasOnlyNumbers = texts === undefined && gaps === undefined && !isBoolean
  return hasOnlyNumbers && !fields.fData && !fields.unit && !fields.sdTime
}

function writeExtras(out: JsonBytes, series: FeedSeries, { fields, unit, index }: Row): void {
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

/** What a sample has around its texts: numbers, keys and brackets. */
const ROW_BYTES = 160

/** An answer is written and counted in slices of about this length. Other calls run in between. */
const SLICE_BYTES = 1024 * 1024

/**
 * At least the bytes that the texts and numbers of an answer take in JSON, where a control character
 * takes six; stops counting beyond the limit.
 */
export async function countFeedBytes(
  list: readonly FeedSeries[],
  fields: FeedFields,
  limitBytes: number,
): Promise<number> {
  let bytes = 2
  let counted = 0
  for (const series of list) {
    const { before, unit } = framesOf(series, fields)
    for (let index = 0; index < series.count && bytes <= limitBytes; index++) {
      bytes += before.length + unit.length + ROW_BYTES
      bytes += jsonBytesOf(series.texts?.[index] ?? '')
      if (fields.fData) bytes += jsonBytesOf(formattedOf(series, index))
      if (bytes - counted < SLICE_BYTES) continue
      counted = bytes
      await nextIteration()
    }
  }
  return bytes
}

function jsonBytesOf(text: string): number {
  return Buffer.byteLength(JSON.stringify(text))
}

/** Like `writeFeed`, for an answer of up to `bytesMax` bytes. Other calls run between slices. */
export async function writeLongFeed(
  list: readonly FeedSeries[],
  fields: FeedFields,
  bytesMax: number,
): Promise<Buffer> {
  const out = new JsonBytes(bytesMax)
  out.byte(0x5b)
  let turnAt = SLICE_BYTES
  for (const series of list) {
    const { before, unit } = framesOf(series, fields)
    for (let index = 0; index < series.count; index++) {
      if (out.length > 1) out.byte(COMMA)
      out.raw(before)
      writeRow(out, series, { fields, unit, index })
      out.byte(CLOSE)
      if (out.length < turnAt) continue
      turnAt = out.length + SLICE_BYTES
      await nextIteration()
    }
  }
  out.byte(0x5d)
  return out.finish()
}
