import type { ByteReader } from '../chunk/byte-reader.ts'
import type { ByteWriter } from '../chunk/byte-writer.ts'
import { DamagedBytes } from '../chunk/damaged-bytes.ts'
import type { SummaryTable } from './summary-table.ts'

/** Longer texts are not copied into a summary: their chunk is decoded when they are asked for. */
const TEXT_BYTES_MAX = 256

interface TextEnd {
  readonly row: number
  readonly first: string | undefined
  readonly last: string | undefined
}

/** Writes the first and last samples that are texts; false when they are too long for a summary. */
export function writeTextEnds(
  writer: ByteWriter,
  table: SummaryTable,
  rows: readonly number[],
): boolean {
  const texts: Array<{ place: number; value: string; utf8: Buffer }> = []
  const take = (place: number, value: number | string): void => {
    if (typeof value === 'string') texts.push({ place, value, utf8: Buffer.from(value, 'utf8') })
  }
  for (let at = 0; at < rows.length; at++) {
    take(at * 2, table.first[rows[at]])
    take(at * 2 + 1, table.last[rows[at]])
  }
  const bytes = texts.reduce((sum, { utf8 }) => sum + utf8.length, 0)
  if (bytes > TEXT_BYTES_MAX || texts.some(({ value }) => !value.isWellFormed())) return false
  writer.varint(texts.length)
  for (const { place, utf8 } of texts) {
    writer.varint(place)
    writer.varint(utf8.length)
    writer.bytes(utf8)
  }
  return true
}

/** Reads what writeTextEnds wrote. */
export function readTextEnds(reader: ByteReader, table: SummaryTable): TextEnd[] {
  const count = reader.countUpTo(table.length * 2)
  return Array.from({ length: count }, () => {
    const place = reader.varint()
    const text = Buffer.from(reader.bytes(reader.varint())).toString('utf8')
    if (place >= table.length * 2) throw new DamagedBytes('a text lies outside the summary')
    const isFirst = place % 2 === 0
    return {
      row: Math.floor(place / 2),
      first: isFirst ? text : undefined,
      last: isFirst ? undefined : text,
    }
  })
}
