/**
 * What the service and a query thread tell each other. A thread evaluates one job at a time. It asks the service for
 * series and samples, and meanwhile tests texts of labels against regular expressions, which must not hold up the
 * event loop of the service.
 */
import type {
  FoldedSeries,
  PromqlError,
  SeriesFold,
  SeriesMatcher,
  SeriesRead,
  SeriesRequest,
  SeriesSamples,
  SeriesStatistics,
  StatisticValues,
} from '../../promql/plain.ts'

type ErrorKind = PromqlError['kind']

/** What bounds the evaluation of a query and its answer. */
export interface QueryBounds {
  /** Most samples in memory at once. */
  readonly samplesMax: number
  readonly answerBytesMax: number
}

interface QueryOptions {
  readonly text: string
  /** Replaces the lookback of every series. */
  readonly lookbackMs: number | undefined
  /** Most series of the answer; 0 for all. */
  readonly limit: number
}

interface ListOptions {
  /** A series must match one of them. */
  readonly selectors: readonly string[]
  /** Series without a sample at this time or later may be left out. Undefined: none are. */
  readonly since: number | undefined
  /** Most items of the answer; 0 for all. */
  readonly limit: number
}

/** What a thread is to do. */
export type QueryJob =
  | (QueryOptions & { readonly kind: 'instant'; readonly time: number })
  | (QueryOptions & {
      readonly kind: 'range'
      readonly start: number
      readonly end: number
      readonly stepMs: number
    })
  | (ListOptions & {
      readonly kind: 'labels'
      /** Undefined: the names of all labels are listed, in place of the values of one. */
      readonly label: string | undefined
    })
  | (ListOptions & { readonly kind: 'series' })

/** The thread stops soon after its cell holds one of these. */
export const STOP = { none: 0, timeout: 1, canceled: 2 } as const

/** How a job ends in the thread. */
export type JobEnd =
  | { readonly kind: 'answer'; readonly body: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'refused'; readonly error: ErrorKind; readonly message: string }
  | { readonly kind: 'failed'; readonly error: unknown }

/** Some of the selected series. Label i of a series is the pair pairs[i] of all dictionaries of this reply. */
export interface SelectedPart {
  readonly refs: Int32Array
  readonly lookbacks: Float64Array
  /** Pairs of series i are those from starts[i] to before starts[i + 1]. */
  readonly starts: Uint32Array
  readonly pairs: Uint32Array
  /** Labels that earlier parts do not have. */
  readonly names: readonly string[]
  readonly texts: readonly string[]
}

/** Which series of a selector a thread wants. */
export interface SelectRequest extends SeriesRequest {
  /** As in a list. */
  readonly since?: number
}

/** What a thread wants to know of labels. */
export interface LabelRequest {
  readonly selectors: readonly (readonly SeriesMatcher[])[]
  /** As in a list. */
  readonly since: number | undefined
  /** Undefined: the names of labels. */
  readonly label: string | undefined
}

/** What the caller should hear of the series that were selected. */
export interface SelectReply {
  readonly warnings: readonly string[]
  readonly infos: readonly string[]
}

/** The calls of a thread, each with its reply. */
export interface SourceCalls {
  readonly select: { readonly request: SelectRequest; readonly reply: SelectReply }
  readonly read: { readonly request: SeriesRead; readonly reply: SeriesSamples }
  readonly fold: { readonly request: SeriesFold; readonly reply: FoldedSeries | undefined }
  readonly statistics: { readonly request: SeriesStatistics; readonly reply: StatisticValues }
  /** Names or values come before the reply, each once and in no order. */
  readonly labels: { readonly request: LabelRequest; readonly reply: SelectReply }
}

/** A call of a thread, as it is sent. */
export type SourceCall = {
  [Name in keyof SourceCalls]: {
    readonly name: Name
    readonly request: SourceCalls[Name]['request']
  }
}[keyof SourceCalls]

/** From the service to a thread. */
export type ToThread =
  | {
      readonly kind: 'begin'
      readonly job: QueryJob
      readonly bounds: QueryBounds
      readonly stop: Int32Array<SharedArrayBuffer>
    }
  | {
      readonly kind: 'part'
      readonly call: number
      readonly part: SelectedPart | readonly string[]
    }
  | { readonly kind: 'reply'; readonly call: number; readonly reply: unknown }
  /** The service has given up the job. */
  | { readonly kind: 'failure'; readonly call: number }
  | {
      readonly kind: 'test'
      readonly test: number
      readonly pattern: string
      readonly texts: readonly string[]
    }

/** From a thread to the service. */
export type FromThread =
  | {
      readonly kind: 'call'
      readonly call: number
      readonly what: SourceCall
      /** Samples that the query holds in memory. */
      readonly heldSamples: number
    }
  | { readonly kind: 'tested'; readonly test: number; readonly accepted: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'end'; readonly end: JobEnd }
