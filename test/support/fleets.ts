import { familyHeadOf, newFamilies } from '../../src/base/index.ts'
import { type FleetPattern, PATTERN_ID, type PutFleet } from '../../src/store/index.ts'

/** A fleet of components with a stream each, of one creation, listed in a folder. */
export function fleetOf(
  compIds: readonly string[],
  { orgUid = 'org', folder = '/' }: { orgUid?: string; folder?: string } = {},
): PutFleet {
  const { firstNumber, tails } = newFamilies(compIds.length)
  const head: FleetPattern = {
    ...{ listKey: `${folder}${PATTERN_ID}`, index: `UTC\n${PATTERN_ID}` },
    ...{ claims: [`component_id:${PATTERN_ID}`], body: { id: PATTERN_ID } },
  }
  const member: FleetPattern = {
    ...{ listKey: '0000000', index: `010\n\n${PATTERN_ID}` },
    ...{ claims: [`stream_id::${PATTERN_ID}`], body: { id: PATTERN_ID, valueType: 'DOUBLE' } },
  }
  return {
    ...{ op: 'fleet', orgUid, kind: 'component', expectedRevision: 0, firstNumber, tails },
    ...{ uid: familyHeadOf(firstNumber, tails), compIds, head, members: [member] },
    streamCounts: compIds.map(() => 1),
    streamIds: compIds.map(() => 's'),
    memberOf: compIds.map(() => 0),
  }
}
