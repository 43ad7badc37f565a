import type { TextMemory } from '../../store/index.ts'
import type { OneStreamPath } from '../find-streams.ts'
import type { StatisticId } from '../statistic/statistic-id.ts'

/** What the values of a plot are: decimals are texts of digits, files the addresses of files. */
export type PlotKind = 'number' | 'boolean' | 'text' | 'decimal' | 'file'

/**
 * How a plot shows its samples. `samples`: each as it is. `changes`: one entry for neighbours of the same
 * text. `spans`: sums over stretches of time. `periods`: a statistic for each period of a cycle.
 */
export type PlotForm = 'samples' | 'changes' | 'spans' | 'periods'

/** A column of a plot; entry i is texts[i] or, where that is undefined, numbers[i]; NaN is no value. */
export interface PlotColumn {
  readonly name: string
  readonly numbers: ArrayLike<number>
  readonly texts?: ReadonlyArray<string | undefined>
  /** Whether numbers are shown as true (not 0) and false (0). */
  readonly isBoolean?: boolean
}

/** One sample beside the range of a plot. */
export interface PlotNeighbour {
  readonly time: number
  readonly value: number | string | boolean
}

/** The entries of a range that a chart of a given width can show. */
export interface Plot {
  readonly componentUid: string
  readonly compId: string
  readonly streamUid: string
  readonly streamId: string
  readonly form: PlotForm
  readonly kind: PlotKind
  readonly valueType: string
  /** Symbol of the unit; '' without one. */
  readonly unit: string
  /** Number format of the unit; '' without one. */
  readonly numberFormat: string
  /** Of the component. */
  readonly timeZone: string
  readonly from: number
  readonly until: number
  /** How long a span is at about, of spans only. */
  readonly spanMs: number | undefined
  /** Where the samples of the whole stream begin and end. */
  readonly firstTime: number | undefined
  readonly lastTime: number | undefined
  /** The samples next to the range, so that lines and steps can lead out of it. */
  readonly before: PlotNeighbour | undefined
  readonly after: PlotNeighbour | undefined
  /** Whether older periods of the range were left out. */
  readonly isMore: boolean
  readonly columns: readonly PlotColumn[]
}

/** What a plot call asks for. */
export interface PlotCommand {
  readonly path: OneStreamPath
  /** undefined: from the first sample on. */
  readonly from: number | undefined
  /** undefined: to the last sample. */
  readonly until: number | undefined
  /** Most entries to return. */
  readonly points: number
  readonly statistic: { readonly cycleId: string; readonly statistic: StatisticId } | undefined
  /** Where texts are counted while they are looked at. */
  readonly memory?: TextMemory
}
