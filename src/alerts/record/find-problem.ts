import { MEMBERSHIP_KIND } from '../../auth/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import type { CatalogStore } from '../../store/index.ts'
import type { AlertBody } from './alert-shape.ts'

/** Where the records are that an alert cannot be evaluated without. */
interface ProblemDeps {
  readonly catalog: Pick<Catalog, 'templates'>
  readonly catalogStore: Pick<CatalogStore, 'get'>
}

/** Why an alert cannot run as its user, or find its streams; blank where it can. */
export async function findProblem(
  { catalog, catalogStore }: ProblemDeps,
  orgUid: string,
  { runningUser, template }: Pick<AlertBody, 'runningUser' | 'template'>,
): Promise<string> {
  // Read past the cache of users, which is behind while commits are reported.
  const member = { orgUid, kind: MEMBERSHIP_KIND, uid: runningUser.uid }
  if ((await catalogStore.get(member)) === undefined) {
    return 'The running user is no longer in this organization'
  }
  if (template === null) return ''
  const found = await catalog.templates.find(orgUid, template.uid)
  if (found === undefined) return 'The template was deleted'
  return found.id === '' ? 'The template has no ID, so no component is made from it' : ''
}
