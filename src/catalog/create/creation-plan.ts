/** What a put wants to exist, and what will exist once it does. */
import type { Labels, StreamHandle } from '../../store/index.ts'
import type { InferredType } from '../documents/apply-inferred-types.ts'
import type { ComponentEntry } from '../index/stream-index.ts'
import type { StreamKind } from '../shape/stream-kind.ts'
import type { ValueType } from '../shape/value-type.ts'

/** How what is missing is made; not looked at when nothing is missing. */
export interface CreationRules {
  readonly compTmplId?: string
  readonly compName?: string
  readonly folder?: string
  readonly dtId?: string
  readonly dsId?: string
  /** The UID or ID of a delete profile for streams that are made. */
  readonly deleteProfile?: string
}

/** The series of a stream that a door wants. */
export interface WantedSeries {
  readonly series: Labels
  /** Those of a stream that has none. */
  readonly labels: Labels
}

/** A stream that is wanted: by ID, or by its place in the definition order (zero-based). */
export interface WantedStream {
  readonly streamId?: string
  readonly position?: number
  /** The type it gets when it is made and its definition has none; '' when no value determines it. */
  readonly valueType: ValueType
  /** Whether an answer alone asks for it: where a place or a template of the call brings its ID, it is that one. */
  readonly isRequested?: boolean
  /**
   * The series that it shall have. A stream of the ID that has none and fits is adopted; where there is
   * another, one is made beside it whose ID ends with digits of the series.
   */
  readonly series?: WantedSeries
}

/** A component that is wanted, by ID or, if it exists, by UID, with streams of it. */
export interface WantedComponent {
  readonly compId?: string
  readonly compUid?: string
  /** Texts by which doors find it from here on. */
  readonly addressedAs?: readonly string[]
  readonly rules: CreationRules
  readonly streams: readonly WantedStream[]
}

/** A stream as it is, or as it will be when the plan is carried out. */
export interface PreparedStream {
  /** 0 while it does not exist. */
  readonly handle: StreamHandle | 0
  readonly streamId: string
  readonly kind: StreamKind
  /** Its place in VALUE_TYPES. */
  readonly valueCode: number
  readonly isDerived: boolean
  /** The frozen base cycle of an interval stream for readGrid, else ''. */
  readonly grid: string
  /** Whether it is made because an answer asks for it, and for no other reason. */
  readonly isMadeForAnswer?: boolean
}

/** The wanted streams of one component, in the order they were asked for. */
export interface PreparedComponent {
  /** Undefined while it does not exist. */
  readonly component: ComponentEntry | undefined
  readonly timeZone: string
  readonly streams: readonly PreparedStream[]
  /** What all of the streams are, where they are about to be made and are alike, as those of most devices. */
  readonly alike: Omit<PreparedStream, 'handle' | 'streamId'> | undefined
}

/** Sees what is about to be and may refuse; returns which streams without a type shall get which. */
export type CreationCheck = (
  prepared: readonly PreparedComponent[],
  // biome-ignore lint/suspicious/noConfusingVoidType: most checks have nothing to report.
) => readonly InferredType[] | void | Promise<readonly InferredType[] | void>

/** What exists after the plan was carried out. */
export interface CreatedComponent {
  readonly component: ComponentEntry
  readonly isNew: boolean
  /** As many as were wanted, in that order. */
  readonly handles: readonly StreamHandle[]
  /** Whether each was made by this call. */
  readonly isNewStream: readonly boolean[]
  /** One of the handles. */
  handleAt(at: number): StreamHandle
}
