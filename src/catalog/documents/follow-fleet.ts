import { familyWordsAt, nextTurn, TAIL_DIGITS, UID_WORDS } from '../../base/index.ts'
import type { PutFleet, StreamHandle } from '../../store/index.ts'
import { unpackComponent, unpackStream } from '../index/index-entry.ts'
import type { StreamIndex } from '../index/stream-index.ts'

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
  const words = new Uint32Array(UID_WORDS)
  const place = { orgUid, timeZone, words }
  const entries = fleet.members.map((member) => unpackStream(member.index))
  let stream = 0
  let turnAt = STREAMS_PER_STEP
  for (let at = 0; at < compIds.length; at++) {
    const count = fleet.streamCounts[at]
    familyWordsAt(fleet.firstNumber + at, { tails, at: at * TAIL_DIGITS }, words)
    const component = index.putHead(place, compIds[at])
    for (let ordinal = 1; ordinal <= count; ordinal++, stream++) {
      const member = memberOf[stream]
      // Devices of a fleet have streams of the same names: the entry of one serves the next.
      if (entries[member].streamId !== streamIds[stream]) {
        entries[member] = { ...entries[member], streamId: streamIds[stream] }
      }
      index.putMember({ handle: firstHandle + stream, component, ordinal }, entries[member])
    }
    if (stream < turnAt) continue
    turnAt = stream + STREAMS_PER_STEP
    await nextTurn()
  }
}
