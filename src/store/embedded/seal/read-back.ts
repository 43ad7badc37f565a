import { epochMs } from '../../../base/plain.ts'
import type { SampleColumns, StreamHandle } from '../../ports/sample-port.ts'
import { areSameColumns, DamagedBytes, decodeChunk } from '../chunk/index.ts'
import type { FoundDamage } from '../damage/found-damage.ts'
import { RUN_LEVEL } from '../rows/chunk-row.ts'

/** A row as it is meant to be. */
export interface WrittenRow {
  readonly stream: number
  readonly level: number
  readonly columns: SampleColumns
}

/** Samples that come back from samples.db otherwise than they were sealed: only a mistake does that. */
export class SealMismatch extends Error {
  readonly #row: WrittenRow
  readonly #data: Uint8Array

  constructor(row: WrittenRow, data: Uint8Array | undefined) {
    super(`${row.columns.count} samples of stream ${row.stream} come back changed from samples.db`)
    this.#row = row
    this.#data = data ?? new Uint8Array(0)
  }

  /** The damage as reported for the segment that held the samples, with the bytes that are wrong. */
  describe(file: string): FoundDamage {
    const { stream, columns } = this.#row
    const damage = {
      file,
      offset: stream,
      bytes: this.#data.length,
      handles: [stream as StreamHandle],
      from: epochMs(columns.times[0]),
      until: epochMs(columns.times[columns.count - 1] + 1),
      what: `${this.message}; the segment is kept and served, and nothing is sealed until a restart`,
    }
    return { damage, bytes: this.#data }
  }
}

/**
 * Whether a row is among those that are read back: all with texts, a quarter of the others. All of them
 * would be 30 % of sealing, a quarter is 8 %. A row is chosen by what it holds, so that one that failed
 * fails again when it is sealed again.
 */
export function isReadBack({ stream, columns }: WrittenRow): boolean {
  const { count, times, texts } = columns
  if (texts !== undefined) return true
  const mixed = Math.imul(stream, 0x9e3779b1) ^ Math.imul(count, 0x85ebca6b) ^ (times[0] | 0)
  return Math.imul(mixed, 0xc2b2ae35) >>> 30 === 0
}

/**
 * Holds what a row gives back against the samples it was made of, before its transaction ends: what it
 * takes the place of is still there to go back to. Throws SealMismatch.
 */
export function checkReadBack(row: WrittenRow, data: Uint8Array | undefined): void {
  if (data === undefined || !isSame(row, data)) throw new SealMismatch(row, data)
}

function isSame({ stream, level, columns }: WrittenRow, data: Uint8Array): boolean {
  const { count, times } = columns
  const place = { start: times[0], last: times[count - 1], count }
  try {
    const isRun = level === RUN_LEVEL
    return areSameColumns(decodeChunk(data, { stream, isRun, ...place }), columns)
  } catch (error) {
    if (!(error instanceof DamagedBytes)) throw error
    return false
  }
}
