import { nextIteration, requireCreatable } from '../../base/index.ts'
import {
  CatalogConflict,
  type Committed,
  isSeriesClaim,
  type StreamHandle,
} from '../../store/index.ts'
import { refuseDeleted, typeWrites } from '../documents/apply-inferred-types.ts'
import { BY_DEVICES } from '../documents/record-change.ts'
import { retryConflicts } from '../documents/retry-conflicts.ts'
import type { ComponentEntry } from '../index/stream-index.ts'
import { CreationAttempt, type CreationDeps } from './creation.ts'
import type { CreatedComponent, CreationCheck, WantedComponent } from './creation-plan.ts'
import { LocksNeeded, planComponent } from './plan-component.ts'
import { type PlannedComponent, placeOfTarget } from './planned-component.ts'

/** Components planned before others get a turn: about a millisecond. */
const COMPONENTS_PER_STEP = 500

const NOTHING: Committed = { records: [], firstHandles: [] }

/** What a call wants to exist. */
interface CreationCall {
  readonly wanted: readonly WantedComponent[]
  readonly check: CreationCheck
}

/**
 * Makes whatever of the wanted components and streams does not exist, all in one commit or nothing,
 * and returns the handles of all wanted streams. `check` sees what is about to be and may refuse: then
 * nothing is made; the types that it returns for streams without one are part of the same commit. When
 * another call makes or types the same meanwhile, its work is used and `check` runs again. Each
 * component may be wanted once. Refuses to make more streams than one call may. Throws CatalogConflict where another
 * call has made wanted series, or their components, meanwhile.
 */
export async function autoCreate(
  deps: CreationDeps,
  orgUid: string,
  call: CreationCall,
): Promise<CreatedComponent[]> {
  const { documents, locks } = deps.base
  const wantedCount = call.wanted.reduce((sum, { streams }) => sum + streams.length, 0)
  requireCreatable(wantedCount, deps.createMax)
  const { wanted } = call
  if (wanted.every(({ compUid }) => compUid === undefined)) {
    try {
      // Only calls that create the same get in the way, and the commit finds them out.
      return await createOnce(new CreationAttempt(deps, orgUid, false), call)
    } catch (error) {
      if (!(error instanceof CatalogConflict || error instanceof LocksNeeded)) throw error
      // Callers with series look for these first: the other call may have made them, too.
      if (error instanceof CatalogConflict && hasSeries(wanted)) throw error
      if (error instanceof CatalogConflict) await documents.followed()
    }
  }
  const attempt = () => createOnce(new CreationAttempt(deps, orgUid, true), call)
  const keys = wanted.flatMap((one) => lockKeys(deps, orgUid, one))
  const options = { isIdRetried: true, isPassed: isOfSeries }
  return await locks.run(keys, () => retryConflicts(documents, attempt, options))
}

function hasSeries(wanted: readonly WantedComponent[]): boolean {
  return wanted.some(({ streams }) => streams.some(({ series }) => series !== undefined))
}

/** Whether a series has got its stream meanwhile: no other plan for it can succeed, and the caller finds the stream. */
function isOfSeries({ claim }: CatalogConflict): boolean {
  return claim !== undefined && isSeriesClaim(claim)
}

async function createOnce(
  creation: CreationAttempt,
  { wanted, check }: CreationCall,
): Promise<CreatedComponent[]> {
  const { deps } = creation
  const { documents } = deps.base
  const planned: PlannedComponent[] = []
  let added = 0
  for (const one of wanted) {
    const plan = planComponent(creation, one)
    const component = plan instanceof Promise ? await plan : plan
    added += component.addedCount
    // Templates add streams that nobody named, so the count is known only on the way.
    requireCreatable(added, deps.createMax)
    planned.push(component)
    if (planned.length % COMPONENTS_PER_STEP === 0) await nextIteration()
  }
  const inferred = await check(planned)
  const types = await typeWrites(documents, inferred ?? [])
  const writes = [...creation.writes, ...creation.components.writes(), ...types]
  const { firstHandles } =
    writes.length === 0 ? NOTHING : await documents.commit(writes, BY_DEVICES)
  return planned.map((one) => new Created(creation, one, firstHandles))
}

/**
 * A component is locked by its ID, so that calls from before and after its creation take turns, and
 * once it exists by its UID, as by every other edit of it.
 */
function lockKeys({ base }: CreationDeps, orgUid: string, wanted: WantedComponent): string[] {
  const { compId = '', compUid } = wanted
  const { index } = base.documents
  const entry =
    compUid === undefined
      ? index.resolveComponent(orgUid, compId)
      : index.componentByUid(orgUid, compUid)
  const id = entry?.compId ?? compId
  return [...(id === '' ? [] : [`${orgUid} ${id}`]), ...(entry === undefined ? [] : [entry.uid])]
}

/** What exists once a plan is carried out. */
class Created implements CreatedComponent {
  readonly #creation: CreationAttempt
  readonly #planned: PlannedComponent
  /** That of the first stream that was made with the component; its others count on from it. */
  readonly #firstHandle: number
  /** Those of streams that were added to a component. */
  readonly #addedHandles: readonly number[] | undefined

  constructor(
    creation: CreationAttempt,
    planned: PlannedComponent,
    firstHandles: readonly number[],
  ) {
    const { orgUid, deps } = creation
    const { index } = deps.base.documents
    const { write, first, addedUids, addedCount } = planned
    this.#creation = creation
    this.#planned = planned
    this.#firstHandle = write < 0 ? 0 : firstHandles[write] + first
    this.#addedHandles =
      write < 0 ? addedUids.map((uid) => index.streamByUid(orgUid, uid)) : undefined
    for (let place = 0; place < addedCount; place++) {
      if (!index.has(this.#handleOf(place))) refuseDeleted()
    }
  }

  get component(): ComponentEntry {
    const { orgUid, deps } = this.#creation
    return deps.base.documents.index.componentByUid(orgUid, this.#planned.uid) ?? refuseDeleted()
  }

  get isNew(): boolean {
    return this.#planned.component === undefined
  }

  get handles(): readonly StreamHandle[] {
    return this.#planned.wanted.streams.map((_, at) => this.handleAt(at))
  }

  get isNewStream(): readonly boolean[] {
    return this.#planned.wanted.streams.map((_, at) => this.#planned.targetAt(at) < 0)
  }

  handleAt(at: number): StreamHandle {
    const target = this.#planned.targetAt(at)
    return (target > 0 ? target : this.#handleOf(placeOfTarget(target))) as StreamHandle
  }

  #handleOf(place: number): number {
    return this.#addedHandles?.[place] ?? this.#firstHandle + place
  }
}
