import type { Catalog } from '../catalog/index.ts'
import { VALUE_CODE } from '../catalog/shape/index.ts'
import type { StreamHandle } from '../store/index.ts'

/** Knows the streams that samples are sent to. */
export interface StreamResolver {
  /** Moves whenever an ID may mean another stream than before. */
  readonly generation: number
  /** The stream of these IDs; 0 when there is none. */
  resolve(orgUid: string, compId: string, streamId: string): StreamHandle | 0
  /** Whether more digits count in a stream, 0 for an unknown one, than a double has. */
  keepsDigits(handle: number): boolean
}

/** The streams of the catalog. */
export function catalogStreams(index: Catalog['index']): StreamResolver {
  return {
    get generation() {
      return index.generation
    },
    resolve: (orgUid, compId, streamId) => index.resolve(orgUid, compId, streamId),
    keepsDigits: (handle) => handle === 0 || index.valueCodeOf(handle) !== VALUE_CODE.DOUBLE,
  }
}
