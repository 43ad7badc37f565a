/** The samples of an answer as CSV (RFC 4180), with a line of names: the same rows as in JSON. */
import { nextIteration } from '../../base/index.ts'
import { type FeedFields, type FeedSeries, formatValue } from '../../feed/index.ts'
import { prefers } from '../transport/accept.ts'
import { JsonBytes } from './json-bytes.ts'

/** The type of these answers. */
export const CSV_TYPE = 'text/csv; charset=utf-8; header=present'

/** An answer is written in slices of about this length. Other calls run in between. */
const SLICE_BYTES = 1024 * 1024
const COMMA = 0x2c
const LINE_END = Buffer.from('\r\n')
const WORDS = { true: Buffer.from('true'), false: Buffer.from('false') }

/** Whether an Accept header names CSV, and JSON not before it. */
export function prefersCsv(accept: string | undefined): boolean {
  return prefers(accept, 'text/csv', 'application/json')
}

/** The rows of an answer of about `bytes` bytes. Other calls run between slices. */
export async function writeCsv(
  list: readonly FeedSeries[],
  fields: FeedFields,
  bytes: number,
): Promise<Buffer> {
  const out = new JsonBytes(bytes)
  out.raw(Buffer.from(namesOf(fields).join(',')))
  out.raw(LINE_END)
  let turnAt = SLICE_BYTES
  for (const series of list) {
    const before = [
      ...(fields.compId ? [series.compId] : []),
      ...(fields.streamId ? [series.streamId] : []),
    ].map((text) => `${cellOf(text)},`)
    const lead = Buffer.from(before.join(''))
    for (let index = 0; index < series.count; index++) {
      out.raw(lead)
      writeRow(out, series, { fields, index })
      if (out.length < turnAt) continue
      turnAt = out.length + SLICE_BYTES
      await nextIteration()
    }
  }
  return out.finish()
}

function namesOf(fields: FeedFields): string[] {
  return [
    ...(fields.compId ? ['compId'] : []),
    ...(fields.streamId ? ['streamId'] : []),
    'time',
    'data',
    ...(fields.fData ? ['fData'] : []),
    ...(fields.unit ? ['unit'] : []),
    ...(fields.sdTime ? ['sdTime'] : []),
  ]
}

function writeRow(
  out: JsonBytes,
  series: FeedSeries,
  { fields, index }: { readonly fields: FeedFields; readonly index: number },
): void {
  const isGap = series.gaps?.[index] === 1
  const text = series.texts?.[index]
  out.whole(series.times[index])
  out.byte(COMMA)
  if (!isGap) writeValue(out, series, index)
  if (fields.fData) {
    out.byte(COMMA)
    const value = text ?? series.numbers[index]
    writeText(out, isGap ? '' : formatValue(value, series))
  }
  if (fields.unit) {
    out.byte(COMMA)
    writeText(out, series.unit?.symbol ?? '')
  }
  if (fields.sdTime) {
    out.byte(COMMA)
    if (series.starts !== undefined) out.whole(series.starts[index])
  }
  out.raw(LINE_END)
}

function writeValue(out: JsonBytes, series: FeedSeries, index: number): void {
  const text = series.texts?.[index]
  if (text !== undefined) writeText(out, text)
  else if (series.isBoolean) out.raw(series.numbers[index] === 0 ? WORDS.false : WORDS.true)
  else out.number(series.numbers[index])
}

function writeText(out: JsonBytes, text: string): void {
  out.raw(Buffer.from(cellOf(text)))
}

/** A text as a cell; an empty one is quoted, so that it differs from a value that is missing. */
function cellOf(text: string): string {
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
