import type { BitReader, BitWriter } from '../chunk/bits.ts'
import type { ByteReader } from '../chunk/byte-reader.ts'
import type { ByteWriter } from '../chunk/byte-writer.ts'

/** The two parts of a record: single values in bytes, columns packed in bits behind them. */
export interface RecordWriter {
  readonly header: ByteWriter
  readonly bits: BitWriter
}

/** The same two parts while they are read. */
export interface RecordReader {
  readonly header: ByteReader
  readonly bits: BitReader
}
