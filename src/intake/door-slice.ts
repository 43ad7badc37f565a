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
  readonly #lines: number[] = []

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
  noteLine(firstSample: number, { line, from, until }: ReadLine): void {
    this.#lines.push(firstSample, line, from, until)
  }

  /** The line that a sample was read from. */
  lineOf(sample: number): ReadLine {
    let low = 0
    let high = this.#lines.length / LINE_WIDTH
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
