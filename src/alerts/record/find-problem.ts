import { MEMBERSHIP_KIND } from '../../auth/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import type { CatalogStore } from '../../store/index.ts'
import { readCondition } from '../condition/read-condition.ts'
import type { AlertBody } from './alert-shape.ts'

/** Where the records are that an alert cannot be evaluated without. */
interface ProblemDeps {
  readonly catalog: Pick<Catalog, 'findCycle' | 'findCycleByUid' | 'templates'>
  readonly catalogStore: Pick<CatalogStore, 'get'>
}

/** What must be there for an alert to be evaluated. */
type References = Pick<
  AlertBody,
  'clearCondition' | 'condition' | 'cycle' | 'runningUser' | 'template'
>

/** Why an alert cannot run as its user, or find its streams and cycles; blank where it can. */
export async function findProblem(
  { catalog, catalogStore }: ProblemDeps,
  orgUid: string,
  alert: References,
): Promise<string> {
  const { cycle, runningUser, template } = alert
  // Read past the cache of users, which is behind while commits are reported.
  const member = { orgUid, kind: MEMBERSHIP_KIND, uid: runningUser.uid }
  if ((await catalogStore.get(member)) === undefined) {
    return 'The running user is no longer in this organization'
  }
  if (template !== null) {
    const found = await catalog.templates.find(orgUid, template.uid)
    if (found === undefined) return 'The template was deleted'
    if (found.id === '') return 'The template has no ID, so no component is made from it'
  }
  for (const cycleId of cycleIdsOf(alert)) {
    if ((await catalog.findCycle(orgUid, cycleId)) === undefined)
      return `The cycle ${JSON.stringify(cycleId)} of the condition was deleted`
  }
  if (cycle !== null && (await catalog.findCycleByUid(orgUid, cycle.uid)) === undefined)
    return 'The cycle of active times was deleted'
  return ''
}

/** The cycles whose statistics the conditions of an alert read. */
export function cycleIdsOf({
  condition,
  clearCondition,
}: Pick<AlertBody, 'clearCondition' | 'condition'>): Set<string> {
  const ids = new Set<string>()
  for (const text of [condition, clearCondition]) {
    if (text.trim() === '') continue
    const { inputs } = readCondition(text, { value: 'UNKNOWN', timeZoneId: 'UTC' })
    for (const input of inputs) if (input.kind === 'stat') ids.add(input.cycleId)
  }
  return ids
}
