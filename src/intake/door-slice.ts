import { growColumn } from '../base/index.ts'
import { IncomingSamples, type OpenSeries } from '../feed/index.ts'

/** A line or point of a body that was refused before its samples were looked at. */
interface RefusedLine {
  /** Its number in the body, from 1. */
  readonly line: number
  /** Where it lies in the body. */
  readonly from: number
  readonly until: number
  readonly reason: string
}

/** A line that samples were read from. */
interface ReadLine {
  readonly line: number
  readonly from: number
  readonly until: number
}

/** Lines that are listed one by one; others are only counted. */
const REFUSED_MAX = 1_000

const LINE_WIDTH = 4
/** Of a first column of lines: 16 lines. */
const LINES_LENGTH_MIN = 64
/** Longer columns are rare, and given back to the system: 4,096 lines. */
const SPARE_LENGTH_MAX = 16_384
/** Together at most 4 MB. */
const SPARES_MAX = 64

/** Columns of lines that are used again by later slices: memory outside the heap makes V8 collect all of the heap. */
const spareLines: Uint32Array[] = []
const NO_LINES = new Uint32Array(0)

/**
 * Characters of the labels of unknown series, after which a slice ends. A few bytes of a body may name labels of
 * 256 KB: those of one slice take some ten times this in memory while their streams are made.
 */
export const LABEL_CHARACTERS_MAX = 8 << 20

/** What a door reads of a body at a time: samples, and what could not become samples. */
export class DoorSlice {
  readonly samples = new IncomingSamples()
  readonly refused: RefusedLine[] = []
  /** Also those that are not listed one by one. */
  refusedCount = 0
  /** Points whose millisecond another point of their series has, at another time that is finer. */
  sharedMilliseconds = 0
  /** Whole numbers that a double does not hold. */
  roundedIntegers = 0
  /** Characters of the labels of the unknown series. */
  labelCharacters = 0
  /** The first sample, number, and place of each line that samples were read from. */
  #lines = spareLines.pop() ?? new Uint32Array(LINES_LENGTH_MIN)
  #linesUsed = 0

  refuseLine(line: RefusedLine): void {
    this.refusedCount += 1
    if (this.refused.length < REFUSED_MAX) this.refused.push(line)
  }

  /** Adds a series without a known stream; `text` is all of its labels. */
  addSeries(open: OpenSeries, text: string): void {
    this.samples.series.push(open)
    this.labelCharacters += text.length
  }

  /** Whether the slice ends here. */
  isFull({ samplesMax, seriesMax }: SliceBounds): boolean {
    return (
      this.samples.count >= samplesMax ||
      this.samples.series.length >= seriesMax ||
      this.labelCharacters >= LABEL_CHARACTERS_MAX
    )
  }

  /** Notes the line that the samples from one on were read from. */
  noteLine(firstSample: number, line: number, from: number, until: number): void {
    const at = this.#linesUsed
    if (at === this.#lines.length) this.#lines = growColumn(this.#lines, at + LINE_WIDTH)
    const lines = this.#lines
    lines[at] = firstSample
    lines[at + 1] = line
    lines[at + 2] = from
    lines[at + 3] = until
    this.#linesUsed = at + LINE_WIDTH
  }

  /** Gives the places of the lines to later slices, once nothing asks for them any more. */
  releaseLines(): void {
    const lines = this.#lines
    this.#lines = NO_LINES
    this.#linesUsed = 0
    if (lines.length === 0 || lines.length > SPARE_LENGTH_MAX) return
    if (spareLines.length < SPARES_MAX) spareLines.push(lines)
  }

  /** The line that a sample was read from. */
  lineOf(sample: number): ReadLine {
    let low = 0
    let high = this.#linesUsed / LINE_WIDTH
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (this.#lines[middle * LINE_WIDTH] <= sample) low = middle
      else high = middle
    }
    const at = low * LINE_WIDTH
    return { line: this.#lines[at + 1], from: this.#lines[at + 2], until: this.#lines[at + 3] }
  }
}

/** How much of a body becomes one slice. */
export interface SliceBounds {
  /** Samples after which a slice ends with its line or series. */
  readonly samplesMax: number
  /** Unknown series after which a slice ends. */
  readonly seriesMax: number
}

/** Reads one body slice by slice. Each protocol has its own. */
export interface DoorReader {
  /** Whether the whole body was read. */
  readonly isAtEnd: boolean
  /** Starts a slice, which is complete when read() returns false. */
  begin(): DoorSlice
  /** Reads about `bytesMax` bytes for an organization. Returns false when the slice is full or all is read. */
  read(orgUid: string, bytesMax: number): boolean
  /** Remembers the streams that were found or created for the slice. */
  learn(): void
  /** What a list of rejected points shows of the line or series at a place. */
  textAt(from: number, until: number): string
}
