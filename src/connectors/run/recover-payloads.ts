import { type EpochMs, type Log, Refusal } from '../../base/index.ts'
import type { KeptPayload, PayloadKey, PayloadStore } from '../../store/index.ts'
import type { Connector } from '../record/connector-shape.ts'
import type { Connectors } from '../record/connectors.ts'
import type { PayloadRuns } from './payload-runs.ts'

interface RecoveryDeps {
  readonly connectors: Connectors
  readonly payloads: PayloadStore
  readonly runs: PayloadRuns
  /** Resumes the run of an import, beside all else. */
  readonly resumeImport: (connector: Connector, run: Pick<KeptPayload, 'uid' | 'time'>) => void
  readonly log: Log
  /** Called with the time of a connector's newest payload. */
  readonly onNewest: (connectorUid: string, time: EpochMs) => void
}

/** Read at a time. */
const PAGE = 200

/**
 * Runs what a crash has left without an outcome, each organization's in the order it came, and forgets what
 * belongs to connectors that are gone. Running again what was stored already changes nothing: its samples are
 * at the times that they were assigned.
 */
export async function recoverPayloads(deps: RecoveryDeps): Promise<number> {
  await forgetGone(deps)
  let count = 0
  let after: string | undefined
  for (;;) {
    const keys: PayloadKey[] = await deps.payloads.listUnsettled(after, PAGE)
    if (keys.length === 0) return count
    after = keys[keys.length - 1].uid
    await recoverLeft(deps, keys)
    count += keys.length
  }
}

/** Runs payloads that a process has left without an outcome, each organization's in the order they came. */
export async function recoverLeft(deps: RecoveryDeps, keys: readonly PayloadKey[]): Promise<void> {
  const byOrganization = Map.groupBy(keys, ({ orgUid }) => orgUid)
  // One organization's slow SQL holds up its own payloads only.
  await Promise.all([...byOrganization.values()].map((own) => recoverAll(deps, own)))
}

/** Forgets the payloads of connectors that are not there any more; returns the newest of the others. */
async function forgetGone({ connectors, payloads, onNewest }: RecoveryDeps): Promise<void> {
  for (const { orgUid, connectorUid } of await payloads.listConnectors()) {
    const isThere = (await connectors.find(orgUid, connectorUid)) !== undefined
    if (!isThere) await payloads.deleteOf(connectorUid)
    const newest = isThere ? await payloads.list(connectorUid, { start: 0, limit: 1 }) : undefined
    for (const { time } of newest?.payloads ?? []) onNewest(connectorUid, time)
  }
}

/** Forgets what the connectors of an organization were given. */
export async function forgetOrganization(payloads: PayloadStore, orgUid: string): Promise<void> {
  for (const one of await payloads.listConnectors()) {
    if (one.orgUid === orgUid) await payloads.deleteOf(one.connectorUid)
  }
}

async function recoverAll(deps: RecoveryDeps, keys: readonly PayloadKey[]): Promise<void> {
  for (const key of keys) {
    try {
      await recoverOne(deps, key)
    } catch (error) {
      // What is refused has an outcome with the reason.
      if (error instanceof Refusal) continue
      deps.log.error({ error, payload: key.uid }, 'could not run a payload again')
    }
  }
}

async function recoverOne(
  { connectors, payloads, resumeImport, runs }: RecoveryDeps,
  { orgUid, connectorUid, uid }: PayloadKey,
): Promise<void> {
  const connector = await connectors.find(orgUid, connectorUid)
  if (connector === undefined) return
  await runs.exclusively(uid, async () => {
    const payload = await payloads.get(connectorUid, uid)
    // People may have run it while the start went on.
    if (payload === undefined || payload.outcome !== undefined) return
    if (connector.connType === 'DB_IMPORT') resumeImport(connector, payload)
    else await runs.runAgain(connector, payload)
  })
}
