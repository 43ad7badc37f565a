/** The shapes of organizations, users and API keys on the wire. */
import type { Static } from 'typebox'
import { methods, roles } from '../../access/index.ts'
import type { NewUser, OrgUser, OwnInvitation, UserChanges } from '../../auth/administer/index.ts'
import {
  type ApiKey,
  type ApiKeyFields,
  type AuditRecord,
  KEY_BOUNDS,
  nameOf,
  ORGANIZATION_NAME_MAX,
  type Organization,
  type OrganizationFields,
  type User,
} from '../../auth/index.ts'
import { type Quotas, refuse, Type } from '../../base/index.ts'
import { type AddressRule, BLANK_RULE } from '../../catalog/index.ts'

const text = (description: string) => Type.String({ maxLength: 2_000, description })
const oneOf = (values: readonly string[]) =>
  Type.Unsafe<string>({ type: 'string', enum: [...values] })

/** The header by which a person proves to be there, where a call has no body. */
export const passwordHeader = Type.Object({
  'Weir-Password': Type.Optional(
    Type.String({
      description: 'Your own password, if required (401 reauthenticate)',
    }),
  ),
  'Weir-Otp': Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'Code of your second factor, if required (401 second_factor)',
    }),
  ),
})

/** The path's UID. */
export const uidParams = Type.Object({ uid: Type.String() })

const ruleText = (description: string) => Type.Optional(text(description))

/** An address rule; null takes it away. */
export const addressRule = (description?: string) =>
  Type.Optional(
    Type.Union(
      [
        Type.Null(),
        Type.Object({
          component: text('Text of the ID of the component, such as {host} or {device|sensor}'),
          stream: ruleText('Text of the ID of the stream; {__name__} by default'),
          uses: Type.Optional(
            Type.Array(Type.String(), {
              maxItems: 64,
              description: 'Labels that are not appended to the ID of the stream',
            }),
          ),
          template: ruleText('The ID of the template of new components'),
          folder: ruleText('The folder of new components'),
          deleteProfile: ruleText('The UID or ID of the delete profile of new streams'),
        }),
      ],
      description === undefined ? {} : { description },
    ),
  )

/** What a body says about an address rule. */
export function readRule(
  given: Partial<AddressRule> | null | undefined,
): AddressRule | null | undefined {
  return given ? { ...BLANK_RULE, ...given } : given
}

const organizationFields = Type.Object({
  name: Type.Optional(
    Type.String({ maxLength: ORGANIZATION_NAME_MAX, description: 'Display name' }),
  ),
  rateLimits: Type.Optional(
    text('off, default, classic, or custom limits. Blank: as set by the service'),
  ),
  oauth: Type.Optional(
    Type.Unsafe<'' | 'strict'>({
      type: 'string',
      enum: ['', 'strict'],
      description: 'strict: registered OAuth clients only',
    }),
  ),
  gsSql: Type.Optional(
    Type.Boolean({ description: 'false: GS SQL cannot read stored data. True by default' }),
  ),
  addressRule: addressRule(),
})

/** Body that inserts or updates an organization. */
export const organizationBody = Type.Object(
  { organization: organizationFields },
  { title: 'OrganizationBody', examples: [{ organization: { name: 'Hall 1' } }] },
)

/** Proves that the person is there; may stand beside every record whose changes ask for it. */
const currentPassword = Type.Optional(
  text('Your own password. Required for secrets, email addresses, passwords, and owners'),
)

/** Goes with the password where the person has a second factor. */
const currentOtp = Type.Optional(
  Type.String({ maxLength: 64, description: 'Code of the second factor' }),
)

const userFields = Type.Object({
  email: Type.Optional(text('Email address of the account')),
  firstName: Type.Optional(text('')),
  lastName: Type.Optional(text('')),
  timeZoneId: Type.Optional(text('An IANA time zone')),
  role: Type.Optional(Type.Unsafe<(typeof roles)[number]>(oneOf(roles))),
  password: Type.Optional(text('Never returned')),
  currentPassword,
})

/** Body that inserts or updates a user. */
export const orgUserBody = Type.Object(
  { org_user: userFields, currentPassword, currentOtp },
  {
    title: 'OrgUserBody',
    examples: [{ org_user: { email: 'ada@example.com', role: 'MEMBER', timeZoneId: 'UTC' } }],
  },
)

const keyFields = Type.Object({
  name: Type.Optional(Type.String({ maxLength: KEY_BOUNDS.name, description: 'Display name' })),
  description: Type.Optional(text('')),
  capabilities: Type.Optional(
    Type.Array(
      Type.Object({
        resource: text('A path such as component/*/feed'),
        methods: Type.Array(Type.Unsafe<(typeof methods)[number]>(oneOf(methods)), {
          maxItems: methods.length,
        }),
      }),
      {
        maxItems: KEY_BOUNDS.entries,
        description: 'Permissions of the key. Without an entry the key is disabled',
      },
    ),
  ),
  ipAddresses: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: KEY_BOUNDS.entries,
      description: 'IP addresses or CIDR ranges that can use the key',
    }),
  ),
  addressRule: addressRule(),
})

/** Body that inserts or updates an API key. */
export const apiKeyBody = Type.Object(
  { api_key: keyFields, currentPassword, currentOtp },
  {
    title: 'ApiKeyBody',
    examples: [
      {
        api_key: {
          name: 'Boiler room',
          capabilities: [{ resource: 'component/*/feed', methods: ['PUT'] }],
        },
      },
    ],
  },
)

/** An organization as answered. */
export function showOrganization(organization: Organization) {
  const { uid, name, rateLimits, oauth, gsSql, ownerUid, createdAtMs } = organization
  const rule = organization.addressRule ? { addressRule: organization.addressRule } : {}
  const settings = { rateLimits, oauth, gsSql, ...rule }
  return { uid, name, ...settings, ownerUser: { uid: ownerUid }, creationDate: createdAtMs }
}

/** Quotas as answered: null where there is none. */
export function showQuotas(quotas: Quotas): Record<keyof Quotas, number | null> {
  const { components, streams, fileBytes, catalogBytes, organizations } = quotas
  return {
    components: components ?? null,
    streams: streams ?? null,
    fileBytes: fileBytes ?? null,
    catalogBytes: catalogBytes ?? null,
    organizations: organizations ?? null,
  }
}

/** What a body says about an organization. */
export function readOrganization(
  body: Static<typeof organizationBody>,
): Partial<OrganizationFields> {
  const { name, rateLimits, oauth, gsSql } = body.organization
  return { name, rateLimits, oauth, gsSql, addressRule: readRule(body.organization.addressRule) }
}

/** Body that answers an invitation. */
export const invitationBody = Type.Object(
  { accept: Type.Boolean({ description: 'true: accept, false: decline' }) },
  { examples: [{ accept: true }] },
)

/** An invitation as the invited person sees it. */
export function showInvitation(invitation: OwnInvitation) {
  const { uid, orgUid, organizationName, role, createdAtMs, endsAtMs } = invitation
  const organization = { uid: orgUid, name: organizationName }
  return { uid, organization, role, creationDate: createdAtMs, endDate: endsAtMs }
}

/** Somebody as answered to the organization: of an invited account only what the organization wrote. */
export function showOrgUser({ user, invitation }: OrgUser, orgUid: string) {
  if (user !== undefined) return { ...showUser(user, orgUid), status: 'MEMBER' }
  const { uid, email, role, createdAtMs } = invitation
  const blank = { firstName: '', lastName: '', fullName: '', isOwner: false }
  return { uid, email, ...blank, role, creationDate: createdAtMs, status: 'INVITED' }
}

/** A user as answered to the organization: nothing about the other ones. */
function showUser(user: User, orgUid: string) {
  const { uid, email, firstName, lastName, timeZone, createdAtMs } = user
  const role = user.memberships.find((membership) => membership.orgUid === orgUid)?.role
  const named = { firstName, lastName, fullName: nameOf(user), isOwner: role === 'OWNER' }
  return { uid, email, ...named, timeZoneId: timeZone, role, creationDate: createdAtMs }
}

/** What a body says about a user. */
export function readUserChanges(body: Static<typeof orgUserBody>): UserChanges {
  const { timeZoneId: timeZone, currentPassword: _password, ...rest } = body.org_user
  return { ...rest, timeZone }
}

/** What a body says about a user that is to be added. */
export function readNewUser(body: Static<typeof orgUserBody>): NewUser {
  const {
    email,
    firstName = '',
    lastName = '',
    timeZoneId = 'UTC',
    role = 'MEMBER',
    password,
  } = body.org_user
  const field = 'org_user.email'
  if (email === undefined) refuse('bad_input', { what: `${field} is missing`, field })
  return { email, firstName, lastName, timeZone: timeZoneId, role, password }
}

/** A user that is not saved, as answered. */
export function showNewUser({ timeZone, ...user }: Omit<NewUser, 'password'>) {
  return { ...user, timeZoneId: timeZone }
}

/** A key as answered: never its secret. */
export function showApiKey(key: ApiKey) {
  const { uid, name, description, capabilities, ipAddresses, createdAtMs } = key
  const isEnabled = capabilities.length > 0
  const rule = key.addressRule ? { addressRule: key.addressRule } : {}
  const fields = { uid, name, description, capabilities, ipAddresses, ...rule }
  return { ...fields, isEnabled, creationDate: createdAtMs }
}

/** Fields that may stand in a key's record and set nothing: what was answered, and the password. */
const KEY_READ_ONLY = ['uid', 'isEnabled', 'creationDate', 'secretKey', 'currentPassword']
const KEY_FIELDS = new Set([...Object.keys(keyFields.properties), ...KEY_READ_ONLY])
const ENTRY_FIELDS = new Set(['resource', 'methods'])

/** A misspelt field would make a key that is disabled, or open to all addresses, without a word. */
function requireKnown(record: object, known: ReadonlySet<string>, path: string): void {
  const unknown = Object.keys(record).find((field) => !known.has(field))
  if (unknown === undefined) return
  const fields = [...known].filter((field) => !KEY_READ_ONLY.includes(field)).join(', ')
  const field = `${path}.${unknown.slice(0, 60)}`
  refuse('bad_input', { what: `${field} is unknown. Fields of ${path} are ${fields}`, field })
}

/** What a body says about a key; refuses fields that a key does not have. */
export function readApiKey(body: Static<typeof apiKeyBody>): Partial<ApiKeyFields> {
  requireKnown(body.api_key, KEY_FIELDS, 'api_key')
  const { name, description, capabilities, ipAddresses } = body.api_key
  for (const [at, entry] of (capabilities ?? []).entries()) {
    requireKnown(entry, ENTRY_FIELDS, `api_key.capabilities[${at}]`)
  }
  const rule = readRule(body.api_key.addressRule)
  return { name, description, capabilities, ipAddresses, addressRule: rule }
}

/** An act as answered. */
export function showAudit(record: AuditRecord) {
  const { uid, time, act, actor, target, address, detail } = record
  return { uid, time, act, actor, target, address, detail }
}
