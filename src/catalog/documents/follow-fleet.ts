import { familyHeadOf, memberUidOf, nextTurn } from '../../base/index.ts'
import type { PutFleet, StreamHandle } from '../../store/index.ts'
import { unpackComponent, unpackStream } from '../index/index-entry.ts'
import type { StreamIndex } from '../index/stream-index.ts'

const TAIL_DIGITS = 10
/** Streams taken over before others get a turn: about a millisecond. */
const STREAMS_PER_STEP = 500

/** Lets the index follow a fleet that was committed, from the handle of its first stream on. */
export async function followFleet(
  index: StreamIndex,
  fleet: PutFleet,
  firstHandle: StreamHandle,
): Promise<void> {
  const { orgUid, compIds, streamIds, tails, memberOf } = fleet
  const { timeZone } = unpackComponent(fleet.head.index)
  const entries = fleet.members.map((member) => unpackStream(member.index))
  let stream = 0
  let turnAt = STREAMS_PER_STEP
  for (let at = 0; at < compIds.length; at++) {
    const count = fleet.streamCounts[at]
    const tail = tails.slice(at * TAIL_DIGITS, (at + 1) * TAIL_DIGITS)
    const parentUid = familyHeadOf(fleet.firstNumber + at, tail)
    const compId = compIds[at]
    index.putComponent({ orgUid, uid: parentUid, revision: 1 }, { compId, timeZone })
    for (let ordinal = 1; ordinal <= count; ordinal++, stream++) {
      const uid = memberUidOf(parentUid, ordinal)
      const place = { orgUid, uid, parentUid, revision: 1, handle: firstHandle + stream }
      const member = memberOf[stream]
      // Devices of a fleet have streams of the same names: the entry of one serves the next.
      if (entries[member].streamId !== streamIds[stream]) {
        entries[member] = { ...entries[member], streamId: streamIds[stream] }
      }
      index.putStream(place, entries[member])
    }
    if (stream < turnAt) continue
    turnAt = stream + STREAMS_PER_STEP
    await nextTurn()
  }
}
