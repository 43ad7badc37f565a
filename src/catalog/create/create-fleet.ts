/** Components that nobody has, with nothing said of them but IDs: made in columns, without a document of each. */
import { familyHeadOf, newFamilies, nextTurn, requireCreatable } from '../../base/index.ts'
import {
  FLEET_STREAMS_MAX,
  type FleetPattern,
  PATTERN_ID,
  type PutDocument,
  type PutFleet,
  type StreamHandle,
} from '../../store/index.ts'
import type { CatalogBase } from '../documents/catalog-base.ts'
import { putComponentOrder } from '../record/component-rules.ts'
import { putStreamOrder } from '../record/stream-rules.ts'
import { LISTED_LENGTH_MAX, ROOT_FOLDER } from '../shape/folder-path.ts'
import { checkId, refuseField } from '../shape/record-checks.ts'
import { defaultStream } from '../shape/stream-shape.ts'
import { VALUE_TYPES } from '../shape/value-type.ts'
import { FleetGatherer, type WantedFleet } from './gather-fleets.ts'

interface FleetDeps {
  readonly fleets: FleetGatherer
  /** Streams that one call may create. */
  readonly createMax: number
}

/** Components looked at before others get a turn: less than a millisecond. */
const COMPONENTS_PER_STEP = 2_000

/** Whether a component can be part of a fleet: its ID is whole in lists, and its streams share a row. */
export function fitsFleet(compId: string, streamCount: number): boolean {
  return compId.length <= LISTED_LENGTH_MAX && streamCount <= FLEET_STREAMS_MAX
}

/**
 * Makes all that is wanted in one commit, and tells the handle of the first stream; those of the others count on
 * from it. Undefined when some of it is there already: then nothing is made. Refuses what autoCreate() would.
 */
export async function createFleet(
  { fleets, createMax }: FleetDeps,
  orgUid: string,
  wanted: WantedFleet,
): Promise<StreamHandle | undefined> {
  requireCreatable(wanted.streamIds.length, createMax)
  await checkIds(wanted)
  return await fleets.make(orgUid, wanted)
}

/** Gathers what is wanted at the same time, and commits it. */
export function fleetGathererOf(base: CatalogBase): FleetGatherer {
  return new FleetGatherer(async (orgUid, wanted) =>
    base.documents.commitFleet(await fleetOf(base, orgUid, wanted)),
  )
}

async function checkIds({ compIds, streamIds }: WantedFleet): Promise<void> {
  for (let at = 0; at < compIds.length; at++) {
    const id = compIds[at]
    if (id === '') refuseField('compId', 'must not be blank')
    checkId('compId', id)
    if (at % COMPONENTS_PER_STEP === COMPONENTS_PER_STEP - 1) await nextTurn()
  }
  let last = ''
  for (const id of streamIds) {
    // Devices of a fleet have streams of the same names.
    if (id === last && id !== '') continue
    if (id === '') refuseField('streamId', 'must not be blank')
    checkId('streamId', id)
    last = id
  }
}

async function fleetOf(base: CatalogBase, orgUid: string, wanted: WantedFleet): Promise<PutFleet> {
  const { compIds, streamCounts, streamIds } = wanted
  const { uid: ownerUid, name, timeZoneId } = await base.people.ownerOf(orgUid)
  const body = {
    ...{ id: PATTERN_ID, name: PATTERN_ID, description: '', folder: ROOT_FOLDER, timeZoneId },
    ...{ creationDate: base.clock.now(), ownerUser: { uid: ownerUid, name }, location: null },
    lastOrdinal: 0,
  }
  const head = patternOf(putComponentOrder({ orgUid: '', uid: '' }, body, 0))
  const { firstNumber, tails } = newFamilies(compIds.length)
  return {
    ...{ op: 'fleet', orgUid, kind: 'component', expectedRevision: 0 },
    uid: familyHeadOf(firstNumber, tails),
    ...{ firstNumber, tails, compIds, streamCounts, streamIds, head },
    ...membersOf(wanted),
  }
}

function membersOf(wanted: WantedFleet): Pick<PutFleet, 'members' | 'memberOf'> {
  const { streamCounts, valueCodes } = wanted
  const members: FleetPattern[] = []
  const places = new Map<FleetPattern, number>()
  const memberOf: number[] = []
  for (const count of streamCounts) {
    for (let order = 0; order < count; order++) {
      const pattern = memberPattern(order, valueCodes[memberOf.length])
      let place = places.get(pattern)
      if (place === undefined) {
        place = members.length
        places.set(pattern, place)
        members.push(pattern)
      }
      memberOf.push(place)
    }
  }
  return { members, memberOf }
}

/** By place in their component and type: at most some thousands. */
const memberPatterns: FleetPattern[] = []

function memberPattern(order: number, valueCode: number): FleetPattern {
  const at = order * VALUE_TYPES.length + valueCode
  memberPatterns[at] ??= newMemberPattern(order, valueCode)
  return memberPatterns[at]
}

function newMemberPattern(order: number, valueCode: number): FleetPattern {
  const body = {
    ...{ ...defaultStream, id: PATTERN_ID, name: PATTERN_ID },
    ...{ valueType: VALUE_TYPES[valueCode], order, grid: '' },
  }
  return patternOf(putStreamOrder({ orgUid: '', uid: '', componentUid: '' }, body, 0))
}

function patternOf({ listKey = '', index = '', claims = [], body }: PutDocument): FleetPattern {
  return { listKey, index, claims, body }
}
