import type { Catalog } from '../../catalog/index.ts'
import type { CatalogStore } from '../../store/index.ts'
import type { CycleDefinition } from '../../time/index.ts'
import type { Alert } from '../record/alert-shape.ts'
import { cycleIdsOf, findProblem } from '../record/find-problem.ts'
import { MUTE_KIND, type StoredMute } from '../state/state-documents.ts'
import type { AlertContext } from './loaded-alert.ts'

/** What alerts are loaded with. */
export interface LoadDeps {
  readonly catalog: Catalog
  readonly catalogStore: Pick<CatalogStore, 'get'>
}

/** Reads what an alert refers to. */
export async function loadContext(deps: LoadDeps, alert: Alert): Promise<AlertContext> {
  const { catalog, catalogStore } = deps
  const { orgUid, uid } = alert
  const mute = await catalogStore.get({ orgUid, kind: MUTE_KIND, uid })
  const cycles = new Map<string, CycleDefinition>()
  for (const cycleId of cycleIdsOf(alert)) {
    const definition = await catalog.findCycle(orgUid, cycleId)
    if (definition !== undefined) cycles.set(cycleId, definition)
  }
  const { cycle } = alert
  const activeCycle = cycle === null ? undefined : await catalog.findCycleByUid(orgUid, cycle.uid)
  const template =
    alert.template === null ? undefined : await catalog.templates.find(orgUid, alert.template.uid)
  return {
    mute: mute?.body as unknown as StoredMute | undefined,
    cycles,
    activeCycle,
    templateId: template?.id ?? '',
    problem: await findProblem(deps, orgUid, alert),
  }
}
