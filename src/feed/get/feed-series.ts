import type { UnitFormat } from '../value/unit-format.ts'

/** Samples of one stream as an answer shows them: as columns, latest first. */
export interface FeedSeries {
  readonly compId: string
  readonly streamId: string
  readonly count: number
  readonly times: Float64Array
  readonly numbers: Float64Array
  /** Where texts[i] is a string it is the value, numbers[i] is meaningless. */
  readonly texts?: ReadonlyArray<string | undefined>
  /** 1 where the sample has no value and is shown as null; absent when all have one. */
  readonly gaps?: Uint8Array
  /** Where each sample's interval starts; absent on random and point streams. */
  readonly starts?: Float64Array
  /** Whether numbers are shown as true (not 0) and false (0). */
  readonly isBoolean: boolean
  /** Whether texts are decimal numbers, which a unit formats as such. */
  readonly isDecimal: boolean
  /** Absent when the stream has no unit, or when the values are not in it (counts, times). */
  readonly unit?: UnitFormat
  /** Set on the last series of an answer when the limit has cut off what comes behind it. */
  readonly isMore?: boolean
}

/** The list of an answer that the limit has cut off; it is not empty. */
export function withMore(list: readonly FeedSeries[]): FeedSeries[] {
  return list.map((series, at) => (at === list.length - 1 ? { ...series, isMore: true } : series))
}

/** What an answer shows of each sample beside time and data. */
export interface FeedFields {
  readonly compId: boolean
  readonly streamId: boolean
  readonly fData: boolean
  readonly unit: boolean
  readonly sdTime: boolean
}
