import { nextTurn, requireCreatable } from '../../base/index.ts'
import type { StreamHandle } from '../../store/index.ts'
import { refuseDeleted, typeOrders } from '../documents/apply-type-wishes.ts'
import { BY_DEVICES } from '../documents/record-change.ts'
import { retryConflicts } from '../documents/retry-conflicts.ts'
import type { CreatedComponent, CreationCheck, WantedComponent } from './creation-plan.ts'
import { type Preparation, type PrepareDeps, prepareComponent } from './prepare-component.ts'
import { isPlain, type Making, preparePlain } from './prepare-plain.ts'

/** Components prepared before others get a turn. */
const COMPONENTS_PER_STEP = 200

/**
 * Makes whatever of the wanted components and streams does not exist, all in one commit or nothing,
 * and tells the handles of all that was wanted. `check` sees what is about to be and may refuse: then
 * nothing is made; the types that it tells for streams without one are part of the same commit. When
 * another call makes or types the same meanwhile, its work is used and `check` runs again. Each
 * component may be wanted once. Refuses to make more streams than one call may.
 */
export async function autoCreate(
  deps: PrepareDeps,
  orgUid: string,
  plan: {
    readonly wanted: readonly WantedComponent[]
    readonly check: CreationCheck
  },
): Promise<CreatedComponent[]> {
  const { documents, locks } = deps.base
  const wantedCount = plan.wanted.reduce((sum, { streams }) => sum + streams.length, 0)
  requireCreatable(wantedCount, deps.createMax)
  const keys = plan.wanted.flatMap((one) => lockKeys(deps, orgUid, one))
  const attempt = async (): Promise<CreatedComponent[]> => {
    const preparations: Preparation[] = []
    let making: Making | undefined
    let added = 0
    for (const one of plan.wanted) {
      const isPlainOne = isPlainAndMissing(deps, orgUid, one)
      if (isPlainOne) making ??= await makingOf(deps, orgUid)
      const preparation =
        isPlainOne && making !== undefined
          ? preparePlain(making, one)
          : await prepareComponent(deps, orgUid, one)
      added += preparation.addedCount
      // Templates add streams that nobody named, so the count is known only on the way.
      requireCreatable(added, deps.createMax)
      preparations.push(preparation)
      if (preparations.length % COMPONENTS_PER_STEP === 0) await nextTurn()
    }
    const wishes = await plan.check(preparations.map(({ prepared }) => prepared))
    const orders = withoutRepeatedFolders(preparations)
    for (const order of await typeOrders(documents, wishes ?? [])) orders.push(order)
    if (orders.length > 0) await documents.commit(orders, BY_DEVICES)
    const made: CreatedComponent[] = []
    for (const one of preparations) {
      if (made.length % COMPONENTS_PER_STEP === COMPONENTS_PER_STEP - 1) await nextTurn()
      made.push(created(deps, orgUid, one))
    }
    return made
  }
  return await locks.run(keys, () => retryConflicts(documents, attempt, { isIdRetried: true }))
}

async function makingOf({ base }: PrepareDeps, orgUid: string): Promise<Making> {
  const { uid, name, timeZoneId: timeZone } = await base.people.ownerOf(orgUid)
  return { orgUid, nowMs: base.clock.now(), timeZone, ownerUser: { uid, name } }
}

function isPlainAndMissing({ base }: PrepareDeps, orgUid: string, one: WantedComponent): boolean {
  if (!isPlain(one)) return false
  return base.documents.index.resolveComponent(orgUid, one.compId ?? '') === undefined
}

/**
 * A component is locked by its ID, so that calls from before and after its creation take turns, and
 * once it exists by its UID, as by every other edit of it.
 */
function lockKeys({ base }: PrepareDeps, orgUid: string, wanted: WantedComponent): string[] {
  const { compId = '', compUid } = wanted
  const { index } = base.documents
  const entry =
    compUid === undefined
      ? index.resolveComponent(orgUid, compId)
      : index.componentByUid(orgUid, compUid)
  const id = entry?.compId ?? compId
  return [...(id === '' ? [] : [`${orgUid} ${id}`]), ...(entry === undefined ? [] : [entry.uid])]
}

/** Two components of one call may ask for the same missing folder: it is made once. */
function withoutRepeatedFolders(preparations: readonly Preparation[]) {
  const seen = new Set<string>()
  return preparations
    .flatMap(({ orders }) => orders)
    .filter((order) => {
      if (order.op !== 'put' || order.kind !== 'component_folder') return true
      const path = order.listKey ?? ''
      if (seen.has(path)) return false
      seen.add(path)
      return true
    })
}

function created(
  { base }: PrepareDeps,
  orgUid: string,
  { componentUid, targets, isNew }: Preparation,
): CreatedComponent {
  const { index } = base.documents
  const component = index.componentByUid(orgUid, componentUid)
  if (component === undefined) refuseDeleted()
  const handles = targets.map((target) =>
    typeof target === 'string' ? index.streamByUid(orgUid, target) : target,
  )
  if (handles.includes(0 as StreamHandle)) refuseDeleted()
  return {
    component,
    isNew,
    handles: handles as StreamHandle[],
    isNewStream: targets.map((target) => typeof target === 'string'),
  }
}
