import { familyHeadOf, memberUidOf, TAIL_DIGITS } from '../base/index.ts'
import { type FleetPattern, PATTERN_ID, type PutDocument, type PutFleet } from './catalog-port.ts'

/** The puts that a fleet stands for, each component before its streams. */
export function putsOfFleet(fleet: PutFleet): PutDocument[] {
  const puts: PutDocument[] = []
  let stream = 0
  for (const [at, compId] of fleet.compIds.entries()) {
    const tail = fleet.tails.slice(at * TAIL_DIGITS, (at + 1) * TAIL_DIGITS)
    const { orgUid } = fleet
    const parentUid = familyHeadOf(fleet.firstNumber + at, tail)
    const head = {
      op: 'put',
      orgUid,
      kind: 'component',
      uid: parentUid,
      expectedRevision: 0,
    } as const
    puts.push({ ...head, ...fieldsOf(fleet.head, compId) })
    for (let ordinal = 1; ordinal <= fleet.streamCounts[at]; ordinal++, stream++) {
      const { claims, ...fields } = fieldsOf(
        fleet.members[fleet.memberOf[stream]],
        fleet.streamIds[stream],
      )
      puts.push({
        ...{ op: 'put', orgUid, kind: 'stream', uid: memberUidOf(parentUid, ordinal), parentUid },
        ...{ ...fields, expectedRevision: 0 },
        claims: claims.map((claim) => claim.replace('::', () => `:${parentUid}:`)),
      })
    }
  }
  return puts
}

function fieldsOf(pattern: FleetPattern, id: string): FleetPattern {
  const withId = (text: string) =>
    text.endsWith(PATTERN_ID) ? text.slice(0, -PATTERN_ID.length) + id : text
  return {
    listKey: withId(pattern.listKey),
    index: withId(pattern.index),
    claims: pattern.claims.map(withId),
    body: { ...pattern.body, id },
  }
}
