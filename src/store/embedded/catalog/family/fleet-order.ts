/** A fleet on its way to the writer's thread: few long texts and one list of small numbers. */
import type { FleetPattern, PutFleet } from '../../../catalog-port.ts'
import type { PackedFleet } from '../catalog-protocol.ts'
import type { PartWriter } from './order-part.ts'
import { type Shaped, takeApart } from './shape.ts'
import { ShapeTaker } from './shape-taker.ts'

/** Shapes of streams: their patterns come again with every call. */
const known = new WeakMap<FleetPattern, Shaped>()
/** Components of one fleet after the other differ in their times. */
const heads = new ShapeTaker()

/** Flattens a fleet; undefined when its documents are too long for rows that they share. */
export function packFleet(fleet: PutFleet, parts: PartWriter): PackedFleet | undefined {
  const { orgUid, firstNumber, tails } = fleet
  const head = heads.take({ kind: 'component', ...fleet.head })
  if (head === undefined) return undefined
  const patterns = [head]
  for (const member of fleet.members) {
    const shaped = shapedOf(member)
    if (shaped === undefined) return undefined
    patterns.push(shaped)
  }
  const { isFresh, numbers, shapes } = parts.numberPatterns(patterns)
  const { ids, layout } = layOut(fleet)
  return [orgUid, firstNumber, tails, ids, layout, numbers, shapes, isFresh]
}

function shapedOf(member: FleetPattern): Shaped | undefined {
  const shaped = known.get(member)
  if (shaped !== undefined) return shaped
  const taken = takeApart({ kind: 'stream', ...member })
  if (taken !== undefined) known.set(member, taken)
  return taken
}

function layOut(fleet: PutFleet): { readonly ids: string; readonly layout: Uint32Array } {
  const { compIds, streamCounts, streamIds, memberOf } = fleet
  const layout = new Uint32Array((compIds.length + streamIds.length) * 2)
  let ids = ''
  let stream = 0
  let next = 0
  for (let at = 0; at < compIds.length; at++) {
    const compId = compIds[at]
    const count = streamCounts[at]
    ids += compId
    layout[next++] = compId.length
    layout[next++] = count
    for (const end = stream + count; stream < end; stream++) {
      const streamId = streamIds[stream]
      ids += streamId
      layout[next++] = streamId.length
      layout[next++] = memberOf[stream] + 1
    }
  }
  return { ids, layout }
}
