import type { Log } from '../../base/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import type { CatalogStore, CatalogWrite, DocumentKey } from '../../store/index.ts'
import { planAccessEnding } from '../access-endings.ts'
import { MADE_KIND } from '../commit/organization-fence.ts'
import type { Identity } from '../identity.ts'
import { deleteClient, listClients, type OAuthBase } from '../oauth/index.ts'
import { Operators } from '../operators.ts'
import type { Organization } from '../organizations.ts'
import { MEMBERSHIP_KIND, type User } from '../users.ts'
import { type ActingCaller, actOf } from './acting-caller.ts'

/** What is emptied and deleted. */
export interface DeletionParts {
  readonly identity: Identity
  readonly catalog: Catalog
  readonly store: CatalogStore
  readonly oauth: OAuthBase
  /** Deletes what other parts keep of an organization outside of the catalog. */
  readonly forgetOrganization: (orgUid: string) => Promise<void>
}

const PAGE = 500
/** What commits under way had added is found by the first of these; each next one is for what nobody foresaw. */
const PASSES_MAX = 5
/** What more hangs on than its own document. */
const HANDLED_KINDS: readonly string[] = ['component', 'api_key', 'invitation', MEMBERSHIP_KIND]

/**
 * Deletes an organization with everything below it: components with their samples and files, keys,
 * clients, memberships, and users who belong to no other. First it is marked as gone, which ends every
 * credential in it; what follows takes many commits, and a start brings it to an end when it is cut short.
 */
export async function deleteOrganization(
  parts: DeletionParts,
  by: ActingCaller,
  organization: Organization,
): Promise<void> {
  const acts = await planAct(parts, by, organization)
  await parts.identity.organizations.markGone(organization, acts)
  await parts.catalog.catchUps.heard()
  await finishDeletion(parts, organization)
}

/** Brings deletions to an end that were cut short; one that cannot be is reported and left to the next start. */
export async function resumeOrganizationDeletions(parts: DeletionParts, log: Log): Promise<void> {
  for (const organization of parts.identity.organizations.listLeaving()) {
    const { uid } = organization
    try {
      await finishDeletion(parts, organization)
      log.info({ organization: uid }, 'finished an interrupted deletion of an organization')
    } catch (error) {
      log.error({ error, organization: uid }, 'could not delete an organization')
    }
  }
}

/** Deletes all that is below an organization that has gone, then its record. */
async function finishDeletion(parts: DeletionParts, organization: Organization): Promise<void> {
  const { identity, store } = parts
  const orgUid = organization.uid
  await parts.catalog.ensureLoaded(orgUid)
  for (let pass = 0; ; pass += 1) {
    await removeMembers(parts, orgUid)
    await deleteKeysAndClients(parts, orgUid)
    await deleteComponents(parts, orgUid)
    await identity.invitations.deleteAllOf(orgUid)
    const left = await kindsIn(store, orgUid)
    if (left.length === 0) break
    if (pass === PASSES_MAX) throw new Error(`organization ${orgUid} still has ${left.join(', ')}`)
    for (const kind of left.filter((one) => !HANDLED_KINDS.includes(one))) {
      await deleteKind(store, orgUid, kind)
    }
  }
  await parts.forgetOrganization(orgUid)
  await identity.organizations.delete(organization)
}

/** The kinds of records that the organization has. Streams are deleted with their components. */
async function kindsIn(store: CatalogStore, orgUid: string): Promise<string[]> {
  const usage = await store.usage(orgUid)
  const kinds = usage.map(({ kind }) => kind)
  const found: string[] = []
  for (const kind of kinds) {
    if (kind === MADE_KIND || kind === 'stream') continue
    const first = { orgUid, start: 0, limit: 1 }
    const { totalCount } =
      kind === 'component'
        ? await store.components.list(first)
        : await store.list({ ...first, kind })
    if (totalCount > 0) found.push(kind)
  }
  return found
}

/** The log of the organization is deleted too, so the operators' log records the act. */
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
  const query = { orgUid, start: 0, limit: PAGE }
  for (;;) {
    const { components } = await store.components.list(query)
    if (components.length === 0) return
    const uids = components.map(({ uid }) => uid)
    await catalog.components.deleteMany(uids, (uid) => catalog.components.deleteByUid(orgUid, uid))
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
    await deleteAll(store, documents)
  }
}

async function deleteAll(store: CatalogStore, keys: readonly DocumentKey[]): Promise<void> {
  await store.commit(
    keys.map(({ orgUid, kind, uid }) => ({
      op: 'delete' as const,
      orgUid,
      kind,
      uid,
      expectedRevision: 'any' as const,
    })),
  )
}

async function removeMembers({ identity, store }: DeletionParts, orgUid: string): Promise<void> {
  const query = { orgUid, kind: MEMBERSHIP_KIND, start: 0, limit: PAGE }
  for (;;) {
    const { documents } = await store.list(query)
    if (documents.length === 0) return
    for (const { uid } of documents) {
      const user = await identity.users.find(uid)
      if (user !== undefined) await removeMember(identity, orgUid, user)
      // It is there still when it was the row of nobody.
      await deleteAll(store, [{ orgUid, kind: MEMBERSHIP_KIND, uid }])
    }
  }
}

async function removeMember(identity: Identity, orgUid: string, user: User): Promise<void> {
  const memberships = user.memberships.filter((membership) => membership.orgUid !== orgUid)
  if (memberships.length > 0) {
    await identity.users.update(user, { memberships })
    return
  }
  await identity.users.delete(user, [planAccessEnding(user.uid)])
  await identity.endAccessOf(user.uid)
  await identity.invitations.deleteAllFor(user.uid)
  await identity.factors.remove(user.uid)
}
