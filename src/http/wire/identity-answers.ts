/** Organizations, their people and keys as they are answered. */
import { methods, roles } from '../../access/index.ts'
import { AUDIT_ACTS } from '../../auth/index.ts'
import { Type } from '../../base/index.ts'
import { EXAMPLE_UID, msOf, named, oneOf, orNull } from '../openapi/answer-schema.ts'

const uid = Type.String()
const name = Type.String()
const role = oneOf(roles)
const creationDate = msOf('Creation time')
const EXAMPLE_TIME = 1767225600000

const capability = named(
  'Capability',
  { resource: Type.String(), methods: Type.Array(oneOf(methods)) },
  { resource: 'component/*/feed', methods: ['GET', 'PUT'] },
)

const addressRule = named(
  'AddressRule',
  {
    component: Type.String(),
    stream: Type.String(),
    uses: Type.Array(Type.String()),
    template: Type.String(),
    folder: Type.String(),
    deleteProfile: Type.String(),
  },
  {
    component: '{host}',
    stream: '{__name__}',
    uses: ['job'],
    template: '',
    folder: '',
    deleteProfile: '',
  },
)

const keyFields = {
  name,
  description: Type.String(),
  capabilities: Type.Array(capability),
  ipAddresses: Type.Array(Type.String()),
  addressRule: Type.Optional(addressRule),
  isEnabled: Type.Boolean(),
}
const savedKeyFields = { uid, ...keyFields, creationDate }
const secretKey = Type.String({ description: 'The secret that clients send' })
const keyFieldsExample = {
  name: 'Boiler room',
  description: '',
  capabilities: [{ resource: 'component/*/feed', methods: ['PUT'] }],
  ipAddresses: ['192.0.2.0/24'],
  isEnabled: true,
}
const keyExample = { uid: EXAMPLE_UID, ...keyFieldsExample, creationDate: EXAMPLE_TIME }

/** An API key, without its secret. */
export const apiKeyRecord = named('ApiKey', savedKeyFields, keyExample)

/** A key that is not saved. */
export const blankApiKey = named('BlankApiKey', keyFields, keyFieldsExample)

/** A key with the secret that was made for it. */
export const insertedApiKey = named(
  'InsertedApiKey',
  { ...savedKeyFields, secretKey },
  { ...keyExample, secretKey: EXAMPLE_UID },
)

/** The secret of a key. */
export const apiKeySecret = named(
  'ApiKeySecret',
  { uid, secretKey },
  { uid: EXAMPLE_UID, secretKey: EXAMPLE_UID },
)

const organizationFields = {
  name,
  rateLimits: Type.String({ description: 'Blank: as set by the service' }),
  oauth: oneOf(['', 'strict']),
  gsSql: Type.Boolean({ description: 'Whether stored data can be read by GS SQL' }),
  addressRule: Type.Optional(addressRule),
}
const limit = orNull(Type.Integer())
const count = Type.Integer()
const blankExample = { name: 'My organization', rateLimits: '', oauth: '', gsSql: true }

/** An organization that is not saved. */
export const blankOrganization = named('BlankOrganization', organizationFields, blankExample)

/** An organization, with what it may have and what it has. */
export const organizationRecord = named(
  'Organization',
  {
    uid,
    ...organizationFields,
    ownerUser: Type.Object({ uid: Type.String() }),
    creationDate,
    quota: named('Quota', {
      components: limit,
      streams: limit,
      fileBytes: limit,
      catalogBytes: limit,
      organizations: limit,
    }),
    usage: named('Usage', {
      components: count,
      streams: count,
      fileBytes: count,
      catalogBytes: count,
      organizations: count,
    }),
  },
  {
    uid: EXAMPLE_UID,
    ...blankExample,
    ownerUser: { uid: EXAMPLE_UID },
    creationDate: EXAMPLE_TIME,
    quota: {
      components: null,
      streams: null,
      fileBytes: null,
      catalogBytes: null,
      organizations: 10,
    },
    usage: {
      components: 12,
      streams: 48,
      fileBytes: 0,
      catalogBytes: 20480,
      organizations: 1,
    },
  },
)

const userFields = {
  email: Type.String(),
  firstName: Type.String(),
  lastName: Type.String(),
  role,
}
const userExample = { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace' }

/** A user that is not saved. */
export const blankOrgUser = named(
  'BlankOrgUser',
  { ...userFields, timeZoneId: Type.String() },
  { ...userExample, role: 'MEMBER', timeZoneId: 'UTC' },
)

/** Somebody who belongs to an organization, or is invited to. */
export const orgUserRecord = named(
  'OrgUser',
  {
    uid,
    ...userFields,
    fullName: Type.String(),
    isOwner: Type.Boolean(),
    timeZoneId: Type.Optional(Type.String({ description: 'Missing for invited users' })),
    creationDate,
    status: oneOf(['MEMBER', 'INVITED']),
  },
  {
    uid: EXAMPLE_UID,
    ...userExample,
    fullName: 'Ada Lovelace',
    isOwner: false,
    timeZoneId: 'UTC',
    role: 'MEMBER',
    creationDate: EXAMPLE_TIME,
    status: 'MEMBER',
  },
)

/** An invitation as the invited person sees it. */
export const invitationRecord = named(
  'Invitation',
  {
    uid,
    organization: Type.Object({ uid: Type.String(), name: Type.String() }),
    role,
    creationDate,
    endDate: msOf('End time'),
  },
  {
    uid: EXAMPLE_UID,
    organization: { uid: EXAMPLE_UID, name: 'Hall 1' },
    role: 'GUEST',
    creationDate: EXAMPLE_TIME,
    endDate: 1769817600000,
  },
)

/** One of the caller's sessions. */
export const sessionRecord = named(
  'Session',
  {
    uid,
    address: Type.String(),
    client: Type.String({ description: 'The User-Agent of the sign-in' }),
    creationDate,
    lastUseDate: msOf('Time of the last use'),
    endDate: msOf('Time of expiry if it is not used'),
    isCurrent: Type.Boolean({ description: 'Whether it is the session of this request' }),
  },
  {
    uid: EXAMPLE_UID,
    address: '192.0.2.7',
    client: 'curl/8.14.1',
    creationDate: EXAMPLE_TIME,
    lastUseDate: EXAMPLE_TIME,
    endDate: 1767312000000,
    isCurrent: true,
  },
)

const isOn = Type.Boolean()

/** How the caller stands with the second factor. */
export const factorState = named(
  'SecondFactor',
  { isOn, recoveryCodesLeft: Type.Integer() },
  { isOn: true, recoveryCodesLeft: 9 },
)

/** A second factor that waits for its first code. */
export const begunFactor = named(
  'BegunSecondFactor',
  { secret: Type.String(), address: Type.String({ description: 'An otpauth URI for a QR code' }) },
  {
    secret: 'JBSWY3DPEHPK3PXP',
    address: 'otpauth://totp/Weir:ada%40example.com?secret=JBSWY3DPEHPK3PXP',
  },
)

/** A second factor that has come into force. */
export const confirmedFactor = named(
  'ConfirmedSecondFactor',
  { isOn, recoveryCodes: Type.Array(Type.String()) },
  { isOn: true, recoveryCodes: ['7f3k-9q2m'] },
)

/** A second factor that has ended. */
export const endedFactor = named('EndedSecondFactor', { isOn }, { isOn: false })

/** A security act. */
/** An entry of the audit log, for examples. */
export const AUDIT_EXAMPLE = {
  uid: EXAMPLE_UID,
  time: EXAMPLE_TIME,
  act: 'key_created',
  actor: `user:${EXAMPLE_UID}`,
  target: EXAMPLE_UID,
  address: '192.0.2.7',
  detail: '',
}

export const auditRecord = named(
  'Audit',
  {
    uid,
    time: msOf('Time'),
    act: Type.String({ description: `One of ${AUDIT_ACTS.join(', ')}` }),
    actor: Type.String({ description: 'user:<uid>, api_key:<uid>, command line, first start …' }),
    target: Type.String({ description: 'A UID, or blank' }),
    address: Type.String(),
    detail: Type.String(),
  },
  AUDIT_EXAMPLE,
)

const signedInFields = {
  message: Type.String({ description: 'Blank' }),
  success: Type.Literal(true),
  organization: Type.Array(Type.Object({ uid: Type.String(), name: Type.String(), role })),
  userUid: Type.String(),
  userFirstName: Type.String(),
  userLastName: Type.String(),
}
const signedInExample = {
  message: '',
  success: true,
  userUid: EXAMPLE_UID,
  organization: [{ uid: EXAMPLE_UID, name: 'My organization', role: 'OWNER' }],
  userFirstName: 'Ada',
  userLastName: 'Lovelace',
}

/** The answer of POST /api/login. */
export const loginAnswer = named(
  'LoginAnswer',
  {
    ...signedInFields,
    sessionUid: Type.String({ description: 'The secret of the session' }),
  },
  { ...signedInExample, sessionUid: EXAMPLE_UID },
)

/** The answer of GET /api/login/session. */
export const sessionStateAnswer = named(
  'SessionStateAnswer',
  {
    message: Type.String({ description: 'Blank' }),
    success: Type.Literal(true),
    signedIn: Type.Boolean({ description: 'Whether the request has a valid session' }),
  },
  { message: '', success: true, signedIn: true },
)

/** The answer of GET /api/login. */
export const signedInAnswer = named(
  'SignedInAnswer',
  {
    ...signedInFields,
    email: Type.String(),
    timeZoneId: Type.String(),
    orgUid: Type.String({ description: 'Organization of the request' }),
  },
  {
    ...signedInExample,
    email: 'ada@example.com',
    timeZoneId: 'Europe/Berlin',
    orgUid: EXAMPLE_UID,
  },
)
