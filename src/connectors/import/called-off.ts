/**
 * Runs that are called off through another process than the one that is at them: a note in the catalog, for which a
 * process looks whenever it renews the lease of a run.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { type Clock, refuse } from '../../base/index.ts'
import type { CatalogStore, PayloadKey, PayloadStore } from '../../store/index.ts'
import type { SharedResults } from '../result/shared-results.ts'

const KIND = 'import_cancel'
/** Longer than a run waits for another process after its own has gone. */
const KEPT_MS = 600_000

/** How long who calls a run off waits for its end, which comes when its process renews its lease. */
const LOOK_MS = 250
const LOOKS = 60
/** Runs among which the one at work is: clocks of the processes that ran the last ones may differ. */
const NEWEST = 5

type RunKey = Pick<PayloadKey, 'connectorUid' | 'uid'>

/** What is called off. */
interface CalledOff {
  /** Whether what the run is for is gone: then it ends though it stores already. */
  readonly isGone: boolean
}

/** What runs of other processes are called off with. */
interface CancelDeps {
  readonly catalogStore: Pick<CatalogStore, 'commit'>
  readonly clock: Clock
  readonly payloads: Pick<PayloadStore, 'get' | 'list'>
  readonly results: Pick<SharedResults, 'has'> | undefined
}

/**
 * Calls off what a connector runs in another process, or will when one takes it up; resolves when it is over, and refuses
 * when it stores or that takes too long. False when it runs nothing.
 */
export async function cancelRemotely(
  deps: CancelDeps,
  connectorUid: string,
  isGone: boolean,
): Promise<boolean> {
  const { payloads, results } = deps
  const newest = await payloads.list(connectorUid, { start: 0, limit: NEWEST })
  const run = newest.payloads.find(({ outcome }) => outcome === undefined)
  if (run === undefined) return false
  await note(deps, { connectorUid, uid: run.uid }, isGone)
  for (let looks = 0; looks < LOOKS; looks += 1) {
    const found = await payloads.get(connectorUid, run.uid)
    const status = found?.outcome?.status
    if (found === undefined || status === 'FAILED') return true
    const isStored = status === 'DONE' || (await results?.has(run.uid)) === true
    if (isStored && !isGone) refuseStoring()
    if (status === 'DONE') return true
    await pause(LOOK_MS, undefined, { ref: false })
  }
  // Its process ended or hangs: the process that resumes the run finds the note.
  if (isGone) return true
  refuse('conflict', {
    what: 'The run is being canceled, but its process has not confirmed yet. Check again in two minutes',
  })
}

/** Refuses to call off a run of which a part may be stored. */
export function refuseStoring(): never {
  refuse('conflict', {
    what: 'This run is already storing its samples and can no longer be canceled',
  })
}

async function note(
  { catalogStore, clock }: CancelDeps,
  { connectorUid, uid: runUid }: RunKey,
  isGone: boolean,
): Promise<void> {
  const put = { op: 'put', ...nameOf(connectorUid), expectedRevision: 'any' } as const
  const expiresAtMs = clock.now() + KEPT_MS
  await catalogStore.commit([{ ...put, expiresAtMs, body: { runUid, isGone } }])
}

/** What is noted of a run; undefined when nobody has called it off. */
export async function findCalledOff(
  store: Pick<CatalogStore, 'get'>,
  { connectorUid, uid: runUid }: RunKey,
): Promise<CalledOff | undefined> {
  const found = await store.get(nameOf(connectorUid))
  return found?.body.runUid === runUid ? { isGone: found.body.isGone === true } : undefined
}

function nameOf(connectorUid: string): { orgUid: string; kind: string; uid: string } {
  return { orgUid: '', kind: KIND, uid: connectorUid }
}
