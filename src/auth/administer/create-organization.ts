import { newSecret, newUid } from '../../base/index.ts'
import { planStarterUnits } from '../../catalog/record/index.ts'
import { FEED_KEY_FIELDS } from '../api-keys.ts'
import type { CallerCheck } from '../caller-check.ts'
import type { Identity } from '../identity.ts'
import { planOperators } from '../operators.ts'
import type { Organization, OrganizationOAuth } from '../organizations.ts'
import type { User } from '../users.ts'

/** A new organization with its owner, and the secrets that are shown once. */
export interface CreatedOrganization {
  readonly organization: Organization
  readonly owner: User
  /** The password that was given or made; undefined when the owner existed before. */
  readonly password: string | undefined
  readonly feedKey: string
}

/** What a new organization needs; what is not given is made up. */
export interface NewOrganization {
  readonly name: string
  readonly ownerEmail: string
  readonly ownerPassword?: string
  readonly ownerTimeZone: string
  readonly feedKey?: string
  readonly rateLimits?: string
  readonly oauth?: OrganizationOAuth
  readonly gsSql?: boolean
  /** The organization that counts it among those made from it; undefined: the operator makes it. */
  readonly madeFrom?: Organization
  /** Whether it must be the first, that of the operators: then it is made only where there is none. */
  readonly isFirst?: boolean
  /** Who creates it and from where, for the audit log. */
  readonly actor: string
  readonly address?: string
  readonly callerCheck?: CallerCheck
}

/** Creates an organization, its owner unless the e-mail is known, its "Feed key" and units, in one commit. */
export async function createOrganization(
  identity: Identity,
  wanted: NewOrganization,
): Promise<CreatedOrganization> {
  const { organizations, users, keys, hasher, audit } = identity
  const { name, rateLimits = '', oauth = '', gsSql = true } = wanted
  const { actor, address = '', callerCheck } = wanted
  const known = await users.findByEmail(wanted.ownerEmail)
  const ownerUid = known?.uid ?? newUid()
  const feedKey = wanted.feedKey ?? newSecret()
  const settings = { name, rateLimits, oauth, gsSql }
  const plans = organizations.planInsert(settings, ownerUid, wanted.madeFrom)
  const [plan] = plans
  const membership = { orgUid: plan.uid, role: 'OWNER' } as const
  const act = audit.plan({
    orgUid: plan.uid,
    act: 'organization_created',
    actor,
    target: ownerUid,
    address,
    detail: name,
    callerCheck,
  })
  const feed = keys.planInsert(plan.uid, FEED_KEY_FIELDS, { secret: feedKey })
  const operators = wanted.isFirst === true ? [planOperators(plan.uid)] : []
  const also = [...plans, ...feed, ...planStarterUnits(plan.uid), act, ...operators]
  const password = known === undefined ? (wanted.ownerPassword ?? newSecret()) : undefined
  if (known !== undefined) {
    await users.update(known, { memberships: [...known.memberships, membership] }, also)
  } else {
    const fields = {
      email: wanted.ownerEmail.toLowerCase(),
      firstName: '',
      lastName: '',
      timeZone: wanted.ownerTimeZone,
      passwordHash: await hasher.hash(password ?? ''),
      memberships: [membership],
    }
    await users.insert(fields, { uid: ownerUid, also })
  }
  return { ...(await readCreated(identity, plan.uid, ownerUid)), password, feedKey }
}

async function readCreated(
  identity: Identity,
  orgUid: string,
  ownerUid: string,
): Promise<Pick<CreatedOrganization, 'organization' | 'owner'>> {
  const organization = await identity.organizations.reload(orgUid)
  const owner = await identity.users.find(ownerUid)
  if (organization === undefined || owner === undefined) {
    throw new Error(`organization ${orgUid} was committed and cannot be read`)
  }
  return { organization, owner }
}
