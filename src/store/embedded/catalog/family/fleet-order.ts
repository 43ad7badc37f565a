/** A fleet on its way to the writer's thread: few long texts and one list of small numbers. */
import type { FleetPattern, PutFleet } from '../../../catalog-port.ts'
import type { PackedFleet } from '../catalog-protocol.ts'
import type { PartWriter } from './order-part.ts'
import { type Shaped, takeApart } from './shape.ts'

/** Shapes of patterns: those of streams come again with every call. */
const known = new WeakMap<FleetPattern, Shaped | null>()

/** Flattens a fleet; undefined when its documents are too long for rows that they share. */
export function packFleet(fleet: PutFleet, parts: PartWriter): PackedFleet | undefined {
  const { orgUid, firstNumber, tails } = fleet
  const shaped = [shapedOf('component', fleet.head)]
  for (const member of fleet.members) shaped.push(shapedOf('stream', member))
  const whole = shaped.filter((one) => one !== undefined)
  if (whole.length < shaped.length) return undefined
  const { isFresh, shapeNumbers, shapes } = parts.numberShapes(whole.map(({ shape }) => shape))
  const patterns = { shapeNumbers, numbers: whole.map(({ numbers }) => numbers) }
  return { orgUid, firstNumber, tails, ...layOut(fleet), patterns, shapes, isFresh }
}

function shapedOf(kind: string, pattern: FleetPattern): Shaped | undefined {
  let shaped = known.get(pattern)
  if (shaped === undefined) {
    shaped = takeApart({ kind, ...pattern }) ?? null
    known.set(pattern, shaped)
  }
  return shaped ?? undefined
}

function layOut(fleet: PutFleet): { readonly ids: string; readonly layout: readonly number[] } {
  const { compIds, streamCounts, streamIds, memberOf } = fleet
  const layout: number[] = []
  let ids = ''
  let stream = 0
  for (let at = 0; at < compIds.length; at++) {
    const compId = compIds[at]
    const count = streamCounts[at]
    ids += compId
    layout.push(compId.length, count)
    for (const end = stream + count; stream < end; stream++) {
      const streamId = streamIds[stream]
      ids += streamId
      layout.push(streamId.length, memberOf[stream] + 1)
    }
  }
  return { ids, layout }
}
