import { newSecret, newUid } from '../base/index.ts'
import { FEED_KEY_FIELDS } from './api-keys.ts'
import type { Identity } from './identity.ts'
import type { Organization } from './organizations.ts'
import type { User } from './users.ts'

/** A new organization with its owner, and what is told about it once. */
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
  /** Who creates it, for the audit log. */
  readonly actor: string
}

/** Creates an organization, its owner unless the e-mail is known, and its "Feed key", in one commit. */
export async function createOrganization(
  identity: Identity,
  wanted: NewOrganization,
): Promise<CreatedOrganization> {
  const { organizations, users, keys, hasher } = identity
  const known = await users.findByEmail(wanted.ownerEmail)
  const ownerUid = known?.uid ?? newUid()
  const feedKey = wanted.feedKey ?? newSecret()
  const plan = organizations.planInsert({ name: wanted.name, rateLimits: '', oauth: '' }, ownerUid)
  const membership = { orgUid: plan.uid, role: 'OWNER' } as const
  const also = [plan, ...keys.planInsert(plan.uid, FEED_KEY_FIELDS, feedKey)]
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
  return finish(identity, { orgUid: plan.uid, ownerUid, password, feedKey, actor: wanted.actor })
}

async function finish(
  identity: Identity,
  created: {
    readonly orgUid: string
    readonly ownerUid: string
    readonly password: string | undefined
    readonly feedKey: string
    readonly actor: string
  },
): Promise<CreatedOrganization> {
  const { orgUid, ownerUid, password, feedKey, actor } = created
  const organization = await identity.organizations.reload(orgUid)
  const owner = await identity.users.find(ownerUid)
  if (organization === undefined || owner === undefined) {
    throw new Error(`organization ${orgUid} was committed and cannot be read`)
  }
  const detail = organization.name
  await identity.audit.record({
    ...{ orgUid, act: 'organization_created', actor, target: ownerUid, address: '', detail },
  })
  return { organization, owner, password, feedKey }
}
