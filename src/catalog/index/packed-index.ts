import type { JsonObject } from '../../store/index.ts'
import type { ComponentBody } from '../shape/component-shape.ts'
import { streamKindOf } from '../shape/stream-kind.ts'
import type { PlacedStreamBody } from '../shape/stream-shape.ts'
import { valueCodeOf } from '../shape/value-type.ts'
import { packComponent, packStream } from './index-entry.ts'

/** What a component's or stream's document gives to the index; undefined for other kinds. */
export function packedIndexOf(document: {
  readonly kind: string
  readonly body: JsonObject
}): string | undefined {
  if (document.kind === 'component') {
    const body = document.body as unknown as ComponentBody
    return packComponent({ compId: body.id, timeZone: body.timeZoneId })
  }
  if (document.kind !== 'stream') return undefined
  const body = document.body as unknown as PlacedStreamBody
  return packStream({
    streamId: body.id,
    kind: streamKindOf(body.streamType),
    valueCode: valueCodeOf(body.valueType),
    isDerived: body.streamDerivationType !== 'NONE',
    hasDeleteProfile: body.delete_profile !== null,
    order: body.order,
    grid: body.grid,
  })
}
