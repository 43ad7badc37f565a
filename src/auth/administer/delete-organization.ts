import { refuse } from '../../base/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import type { CatalogStore, CatalogWrite } from '../../store/index.ts'
import type { Identity } from '../identity.ts'
import { deleteClient, listClients, type OAuthBase } from '../oauth/index.ts'
import { Operators } from '../operators.ts'
import type { Organization } from '../organizations.ts'
import { type ActingCaller, actOf } from './acting-caller.ts'

/** What is emptied and deleted. */
export interface DeletionParts {
  readonly identity: Identity
  readonly catalog: Catalog
  readonly store: CatalogStore
  readonly oauth: OAuthBase
}

const PAGE = 500

/** Records that nothing else depends on once components and keys are gone. */
const simpleKinds = [
  ...['component_folder', 'component_template', 'cycle', 'unit', 'delete_profile'],
  'deletion_mark',
]

/**
 * Deletes an organization with everything below it: components with their samples and files, keys,
 * clients, memberships, and users who belong to no other. When it is cut short it can be repeated: the
 * owners lose their membership last.
 */
export async function deleteOrganization(
  parts: DeletionParts,
  by: ActingCaller,
  organization: Organization,
): Promise<void> {
  const { identity, store } = parts
  const orgUid = organization.uid
  if (identity.organizations.count === 1) {
    refuse('conflict', {
      what: 'This is the only organization of the service: insert another first',
    })
  }
  // Told before anything goes: what follows takes many commits, and may be cut short after any of them.
  await store.commit(await planAct(parts, by, organization))
  await deleteComponents(parts, orgUid)
  await deleteKeysAndClients(parts, orgUid)
  for (const kind of [...simpleKinds, 'audit']) await deleteKind(store, orgUid, kind)
  await identity.invitations.deleteAllOf(orgUid)
  await removeMembers(identity, orgUid)
  await identity.organizations.delete(organization)
}

/** The log of the organization went with it, so that of the operators tells who did it. */
async function planAct(
  { identity, store }: DeletionParts,
  by: ActingCaller,
  { uid, name }: Organization,
): Promise<CatalogWrite[]> {
  const orgUid = await Operators.findOrg(store)
  if (identity.organizations.find(orgUid) === undefined || orgUid === uid) return []
  const entry = actOf(by, { act: 'organization_deleted', target: uid, detail: name })
  return [identity.audit.plan({ ...entry, orgUid })]
}

async function deleteComponents({ catalog, store }: DeletionParts, orgUid: string): Promise<void> {
  const query = { orgUid, kind: 'component', start: 0, limit: PAGE }
  for (;;) {
    const { documents } = await store.list(query)
    if (documents.length === 0) return
    for (const { uid } of documents) await catalog.components.deleteByUid(orgUid, uid)
  }
}

async function deleteKeysAndClients(parts: DeletionParts, orgUid: string): Promise<void> {
  const { identity, oauth } = parts
  const first = { start: 0, limit: PAGE }
  for (;;) {
    const { keys } = await identity.keys.list(orgUid, first)
    for (const key of keys) await identity.keys.delete(key)
    const { clients } = await listClients(oauth, { orgUid, ...first })
    for (const client of clients) await deleteClient(oauth, client)
    if (keys.length === 0 && clients.length === 0) return
  }
}

async function deleteKind(store: CatalogStore, orgUid: string, kind: string): Promise<void> {
  for (;;) {
    const { documents } = await store.list({ orgUid, kind, start: 0, limit: PAGE })
    if (documents.length === 0) return
    await store.commit(
      documents.map(({ uid }) => ({
        op: 'delete' as const,
        ...{ orgUid, kind, uid, expectedRevision: 'any' as const },
      })),
    )
  }
}

async function removeMembers(identity: Identity, orgUid: string): Promise<void> {
  const { users, sessions, invitations } = identity
  for (;;) {
    const page = await users.listOf(orgUid, { start: 0, limit: PAGE })
    if (page.users.length === 0) return
    for (const user of page.users) {
      const memberships = user.memberships.filter((membership) => membership.orgUid !== orgUid)
      if (memberships.length > 0) {
        await users.update(user, { memberships })
        continue
      }
      await users.delete(user)
      await sessions.endAllOf(user.uid)
      await invitations.deleteAllFor(user.uid)
      await identity.factors.remove(user.uid)
    }
  }
}
