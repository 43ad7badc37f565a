import type { ComponentBody } from '../shape/component-shape.ts'
import { streamKindOf } from '../shape/stream-kind.ts'
import type { PlacedStreamBody } from '../shape/stream-shape.ts'
import { valueCodeOf } from '../shape/value-type.ts'
import type { ComponentIndexEntry, StreamIndexEntry } from './index-entry.ts'

/** What a component gives to the index. */
export function componentEntryOf(body: ComponentBody): ComponentIndexEntry {
  return { compId: body.id, timeZone: body.timeZoneId }
}

/** What a stream gives to the index. */
export function streamEntryOf(body: PlacedStreamBody): StreamIndexEntry {
  return {
    streamId: body.id,
    kind: streamKindOf(body.streamType),
    valueCode: valueCodeOf(body.valueType),
    isDerived: body.streamDerivationType !== 'NONE',
    hasDeleteProfile: body.delete_profile !== null,
    order: body.order,
    grid: body.grid,
  }
}
