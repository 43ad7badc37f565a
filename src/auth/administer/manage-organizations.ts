import { allows, type Principal, requirePermit } from '../../access/index.ts'
import { refuse } from '../../base/index.ts'
import { actorName } from '../audit-log.ts'
import type { Identity } from '../identity.ts'
import type { Organization, OrganizationFields } from '../organizations.ts'
import { type ActingCaller, actOf } from './acting-caller.ts'
import { createOrganization } from './create-organization.ts'
import { type DeletionParts, deleteOrganization } from './delete-organization.ts'
import {
  requirePerson,
  requirePersonBehindDelegate,
  requirePersonBehindToken,
} from './require-person.ts'

interface Page {
  readonly start: number
  readonly limit: number
}

const BLANK: OrganizationFields = { name: '', rateLimits: '', oauth: '', gsSql: true }

/** One page of the caller's organizations. */
export async function listOrganizations(
  identity: Identity,
  { principal }: ActingCaller,
  { start, limit }: Page,
): Promise<{ organizations: readonly Organization[]; totalCount: number }> {
  requirePermit(principal, 'organization', 'GET')
  const own = await organizationsOf(identity, principal)
  const all = own.filter(({ uid }) => allows(principal, `organization/${uid}`, 'GET'))
  return { organizations: all.slice(start, start + limit), totalCount: all.length }
}

/** An organization that is not saved. */
export function makeOrganization({ principal }: ActingCaller): OrganizationFields {
  requirePermit(principal, 'organization', 'GET')
  return BLANK
}

/** One of the caller's organizations. */
export async function getOrganization(
  identity: Identity,
  { principal }: ActingCaller,
  uid: string,
): Promise<Organization> {
  requirePermit(principal, `organization/${uid}`, 'GET')
  const all = await organizationsOf(identity, principal)
  return all.find((organization) => organization.uid === uid) ?? notFound(uid)
}

/** Opens a further organization of an OWNER; nobody else may, or every guest could. */
export async function insertOrganization(
  identity: Identity,
  by: ActingCaller,
  given: Partial<OrganizationFields>,
): Promise<Organization> {
  requirePermit(by.principal, 'organization', 'PUT')
  const { actor } = by.principal
  const user = actor.kind === 'user' ? await identity.users.find(actor.userUid) : undefined
  if (user === undefined || actor.kind !== 'user' || actor.role !== 'OWNER') {
    refuse('forbidden', { what: 'Only an OWNER can create an organization' })
  }
  await requirePersonBehindToken(identity, by)
  const { organization } = await createOrganization(identity, {
    ...withChanges(BLANK, given),
    ownerEmail: user.email,
    ownerTimeZone: user.timeZone,
    madeFrom: identity.organizations.find(by.principal.orgUid),
    actor: actorName(by.principal),
    address: by.address,
    callerCheck: by.callerCheck,
  })
  return organization
}

/** Changes the organization of the call: a role holds in one, so another has to be named by `org`. */
export async function changeOrganization(
  identity: Identity,
  by: ActingCaller,
  uid: string,
  changes: Partial<OrganizationFields>,
): Promise<Organization> {
  requirePermit(by.principal, `organization/${uid}`, 'POST')
  const { organizations, audit } = identity
  const organization = organizationOfCall(organizations, by, uid)
  const fields = withChanges(organization, changes)
  const { name, rateLimits, oauth, gsSql } = fields
  if (oauth !== organization.oauth) await requirePersonBehindDelegate(identity, by)
  else await requirePersonBehindToken(identity, by)
  const settings = `rateLimits ${rateLimits || 'default'}, oauth ${oauth || 'default'}`
  const rule = fields.addressRule ? ', addressRule set' : ''
  const detail = `name ${name}, ${settings}${gsSql ? '' : ', gsSql off'}${rule}`
  const act = actOf(by, { act: 'organization_updated', target: uid, detail })
  return organizations.update(organization, fields, [audit.plan(act)])
}

/** Deletes the organization of the call with everything below it; only an OWNER may, with their password. */
export async function removeOrganization(
  parts: DeletionParts,
  by: ActingCaller,
  uid: string,
): Promise<void> {
  requirePermit(by.principal, `organization/${uid}`, 'DELETE')
  const organization = organizationOfCall(parts.identity.organizations, by, uid)
  const { actor } = by.principal
  if (actor.kind !== 'user' || actor.role !== 'OWNER') {
    refuse('forbidden', { what: 'Only an OWNER can delete an organization' })
  }
  await requirePerson(parts.identity, by)
  await deleteOrganization(parts, by, organization)
}

async function organizationsOf(identity: Identity, principal: Principal): Promise<Organization[]> {
  const { actor, orgUid } = principal
  const user = actor.kind === 'user' ? await identity.users.find(actor.userUid) : undefined
  const uids = user?.memberships.map((membership) => membership.orgUid) ?? [orgUid]
  return uids.flatMap((uid) => identity.organizations.find(uid) ?? [])
}

function organizationOfCall(
  organizations: Identity['organizations'],
  { principal }: ActingCaller,
  uid: string,
): Organization {
  const found = uid === principal.orgUid ? organizations.find(uid) : undefined
  return found ?? notFound(uid)
}

function withChanges(
  before: OrganizationFields,
  changes: Partial<OrganizationFields>,
): OrganizationFields {
  return {
    name: changes.name ?? before.name,
    rateLimits: changes.rateLimits ?? before.rateLimits,
    oauth: changes.oauth ?? before.oauth,
    gsSql: changes.gsSql ?? before.gsSql,
    addressRule: changes.addressRule === undefined ? before.addressRule : changes.addressRule,
  }
}

function notFound(uid: string): never {
  refuse('not_found', { what: `Cannot find organization "${uid.slice(0, 100)}"` })
}
