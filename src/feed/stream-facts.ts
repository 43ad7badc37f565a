import type { PreparedStream } from '../catalog/create/index.ts'
import type { StreamIndex } from '../catalog/index.ts'
import {
  cycleOfGrid,
  type StreamKind,
  VALUE_CODE,
  VALUE_TYPES,
  type ValueType,
} from '../catalog/shape/index.ts'
import type { StreamHandle } from '../store/index.ts'
import type { Cycle } from '../time/index.ts'

/** What a put needs to know of a stream, existing or about to exist. */
export interface StreamFacts {
  readonly kind: StreamKind
  /** '': the first sample decides. */
  readonly valueType: ValueType
  readonly isDerived: boolean
  /** The base cycle in its frozen zone; of interval streams only. */
  readonly baseCycle: Cycle | undefined
}

/** The base cycle of a stream; undefined unless it is an interval stream. */
export function baseCycleOf(index: StreamIndex, handle: StreamHandle): Cycle | undefined {
  return cycleOfGrid(index.gridOf(handle))
}

const TEXTS: ReadonlySet<number> = new Set([
  VALUE_CODE.STRING,
  VALUE_CODE.FILE,
  VALUE_CODE.BIG_DECIMAL,
])

/** Whether the samples of a stream are kept as texts, those of decimals too. */
export function keepsTexts(index: StreamIndex, handle: StreamHandle): boolean {
  return TEXTS.has(index.valueCodeOf(handle))
}

/** What is known of an existing stream. */
export function factsOf(index: StreamIndex, handle: StreamHandle): StreamFacts {
  return {
    kind: index.kindOf(handle),
    valueType: VALUE_TYPES[index.valueCodeOf(handle)],
    isDerived: index.isDerived(handle),
    baseCycle: baseCycleOf(index, handle),
  }
}

/** What is known of a stream as it is about to be. */
export function factsOfPrepared(stream: PreparedStream): StreamFacts {
  return {
    kind: stream.kind,
    valueType: VALUE_TYPES[stream.valueCode],
    isDerived: stream.isDerived,
    baseCycle: cycleOfGrid(stream.grid),
  }
}
