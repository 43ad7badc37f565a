import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createOrganization } from '../../../src/auth/administer/index.ts'
import { totpCode } from '../../../src/auth/proof/totp.ts'
import { type Answer, type OAuthService, startOAuthService } from '../../support/oauth-service.ts'

/**
 * Who may change credentials, grants, clients, memberships, sessions and second factors. A session is
 * the person; a token is lent by one; a key belongs to the organization and has nobody behind it.
 */
const callers = ['session', 'session, password', 'token', 'token, password', 'key'] as const
type CallerKind = (typeof callers)[number]
/** Done; asked for the person's password; or refused whatever is given. */
type Outcome = 'done' | 'password' | 'never'
type Outcomes = readonly [Outcome, Outcome, Outcome, Outcome, Outcome]

/** A call about something that was made for it alone. */
interface Act {
  readonly path: string
  readonly body?: object
  readonly headers?: Record<string, string>
  /** Takes back what the call may have done. */
  undo?(): Promise<void>
}

interface Row {
  /** As /openapi.json has it. */
  readonly route: string
  readonly about?: string
  prepare(): Promise<Act>
  readonly outcomes: Outcomes
}

let home: OAuthService
let owner: { readonly uid: string; readonly session: string }
const credentials = new Map<CallerKind, Record<string, string>>()
before(async () => {
  home = await startOAuthService()
  const session = await home.session()
  const { access_token } = await home.tokens()
  const proof = { 'Weir-Password': home.owner.password }
  const cookie = { Cookie: `session=${session}` }
  const bearer = { Authorization: `Bearer ${access_token}` }
  credentials.set('session', cookie).set('session, password', { ...cookie, ...proof })
  credentials.set('token', bearer).set('token, password', { ...bearer, ...proof })
  owner = { uid: home.service.app.firstStart?.owner.uid ?? '', session }
  const { secretKey } = await make('api_key', { name: 'all', capabilities: all })
  credentials.set('key', { 'X-Api-Key': secretKey })
})
after(() => home[Symbol.asyncDispose]())

const all = [{ resource: '*', methods: ['GET', 'PUT', 'POST', 'DELETE'] }]
const password = 'a long enough sentence'
const redirectUris = ['https://client.example/cb']
let count = 0

function nextEmail(): string {
  count += 1
  return `person${count}@example.com`
}

/** Makes a record as the owner, who gives the password. */
async function make(noun: string, record: object): Promise<Record<string, string>> {
  const headers = credentials.get('session, password')
  const { status, body } = await home.send('PUT', `/api/${noun}`, { [noun]: record }, headers)
  assert.equal(status, 200, JSON.stringify(body))
  return body[noun]
}

const inserts = (noun: string, record: () => object) => async (): Promise<Act> => ({
  path: `/api/${noun}`,
  body: { [noun]: record() },
})

const changes = (noun: string, before: () => object, change: () => object, below = '') => {
  return async (): Promise<Act> => {
    const { uid } = await make(noun, before())
    return { path: `/api/${noun}/${uid}${below}`, body: { [noun]: change() } }
  }
}

const removes = (noun: string, before: () => object, below = '') => {
  return async (): Promise<Act> => {
    const { uid } = await make(noun, before())
    return { path: `/api/${noun}/${uid}${below}` }
  }
}

const key = () => ({ name: 'k', capabilities: all })
const client = () => ({ name: 'c', redirectUris })
const publicClient = () => ({ ...client(), type: 'public' })
const person = (role: string) => () => ({ email: nextEmail(), password, role })

/** An account of another organization, which can only be invited. */
async function foreignEmail(): Promise<string> {
  const ownerEmail = nextEmail()
  await createOrganization(home.service.app.identity, {
    name: 'Foreign',
    ownerEmail,
    ownerPassword: password,
    ownerTimeZone: 'UTC',
    actor: 'test',
  })
  return ownerEmail
}

async function prepareWithdrawal(): Promise<Act> {
  const { uid } = await make('org_user', { email: await foreignEmail(), role: 'MEMBER' })
  return { path: `/api/org_user/${uid}` }
}

async function prepareInvitation(): Promise<Act> {
  const { identity } = home.service.app
  const { organization } = await createOrganization(identity, {
    name: 'Inviting',
    ownerEmail: nextEmail(),
    ownerTimeZone: 'UTC',
    actor: 'test',
  })
  const invited = { orgUid: organization.uid, userUid: owner.uid, email: home.owner.email }
  const { uid } = await identity.invitations.insert({ ...invited, role: 'GUEST' }, () => [])
  return { path: `/api/invitation/${uid}`, body: { accept: true } }
}

async function prepareGrant(): Promise<Act> {
  count += 1
  const client_id = `lent${count}`
  await home.tokens({ client_id })
  const headers = credentials.get('session')
  const { body } = await home.send('GET', '/api/oauth_grant?limit=1000', undefined, headers)
  const grant = body.oauth_grant.find((one: { clientId: string }) => one.clientId === client_id)
  return { path: `/api/oauth_grant/${grant.uid}` }
}

async function prepareSession(): Promise<Act> {
  await home.session()
  const headers = credentials.get('session')
  const { body } = await home.send('GET', '/api/session?limit=1000', undefined, headers)
  const dates = body.session.map((one: { creationDate: number }) => one.creationDate)
  // The oldest is the one that the calls carry.
  const own = Math.min(...dates)
  const other = body.session.find((one: { creationDate: number }) => one.creationDate !== own)
  return { path: `/api/session/${other.uid}` }
}

const endFactor = () => home.service.app.identity.factors.remove(owner.uid)

async function beginFactor(): Promise<string> {
  const { secret } = await home.service.app.identity.factors.begin(owner.uid, home.owner.email)
  return totpCode(secret, Math.floor(Date.now() / 30_000))
}

async function prepareConfirm(): Promise<Act> {
  const body = { second_factor: { otp: await beginFactor() } }
  return { path: '/api/second_factor', body, undo: endFactor }
}

async function prepareFactorEnd(): Promise<Act> {
  const code = await beginFactor()
  const [recovery] = await home.service.app.identity.factors.confirm(owner.uid, code, [])
  return { path: '/api/second_factor', headers: { 'Weir-Otp': recovery }, undo: endFactor }
}

async function prepareOwnChange(change: object): Promise<Act> {
  const { uid } = await make('organization', { name: 'Mine' })
  return { path: `/api/organization/${uid}?org=${uid}`, body: { organization: change } }
}

/** Of the organization that the key belongs to; put back behind each call. */
async function prepareShared(change: object, undone: object): Promise<Act> {
  const { orgUid } = home.service
  const path = `/api/organization/${orgUid}`
  const undo = async () => {
    await home.send('POST', path, { organization: undone }, credentials.get('session, password'))
  }
  return { path, body: { organization: change }, undo }
}

const byRight: Outcomes = ['done', 'done', 'password', 'done', 'done']
const byPeople: Outcomes = ['done', 'done', 'password', 'done', 'password']
const byPersonPresent: Outcomes = ['password', 'done', 'password', 'done', 'password']
const byPersonAlone: Outcomes = ['password', 'done', 'never', 'never', 'never']
const bySelf: Outcomes = ['done', 'done', 'never', 'never', 'never']

const rows: readonly Row[] = [
  { route: 'PUT api_key', prepare: inserts('api_key', key), outcomes: byRight },
  { route: 'POST api_key/{uid}', prepare: changes('api_key', key, key), outcomes: byRight },
  { route: 'DELETE api_key/{uid}', prepare: removes('api_key', key), outcomes: byRight },
  {
    route: 'GET api_key/{uid}/secret',
    prepare: removes('api_key', key, '/secret'),
    outcomes: byPersonPresent,
  },
  { route: 'PUT oauth_client', prepare: inserts('oauth_client', client), outcomes: byPeople },
  {
    route: 'POST oauth_client/{uid}',
    prepare: changes('oauth_client', client, client),
    outcomes: byPeople,
  },
  {
    route: 'POST oauth_client/{uid}',
    about: 'that is given a secret',
    prepare: changes('oauth_client', publicClient, () => ({ ...client(), type: 'confidential' })),
    outcomes: byPersonPresent,
  },
  {
    route: 'DELETE oauth_client/{uid}',
    prepare: removes('oauth_client', client),
    outcomes: byPeople,
  },
  {
    route: 'POST oauth_client/{uid}/secret',
    prepare: changes('oauth_client', client, client, '/secret'),
    outcomes: byPersonPresent,
  },
  {
    route: 'DELETE oauth_grant/{uid}',
    prepare: prepareGrant,
    outcomes: ['done', 'done', 'password', 'done', 'never'],
  },
  { route: 'PUT org_user', prepare: inserts('org_user', person('MEMBER')), outcomes: byRight },
  {
    route: 'PUT org_user',
    about: 'of an administrator',
    prepare: inserts('org_user', person('ADMIN')),
    outcomes: bySelf,
  },
  {
    route: 'PUT org_user',
    about: 'of an owner',
    prepare: inserts('org_user', person('OWNER')),
    outcomes: byPersonAlone,
  },
  {
    route: 'POST org_user/{uid}',
    about: 'of a role',
    outcomes: byRight,
    prepare: changes('org_user', person('GUEST'), () => ({ role: 'MEMBER' })),
  },
  {
    route: 'POST org_user/{uid}',
    about: 'that makes an owner',
    outcomes: byPersonAlone,
    prepare: changes('org_user', person('MEMBER'), () => ({ role: 'OWNER' })),
  },
  {
    route: 'POST org_user/{uid}',
    about: 'of an email address',
    outcomes: byPersonPresent,
    prepare: changes('org_user', person('MEMBER'), () => ({ email: nextEmail() })),
  },
  {
    route: 'POST org_user/{uid}',
    about: 'of a password',
    outcomes: byPersonAlone,
    prepare: changes('org_user', person('MEMBER'), () => ({ password: `other ${password}` })),
  },
  {
    route: 'DELETE org_user/{uid}',
    prepare: removes('org_user', person('MEMBER')),
    outcomes: byRight,
  },
  {
    route: 'DELETE org_user/{uid}',
    about: 'of an owner',
    outcomes: byPersonAlone,
    prepare: removes('org_user', person('OWNER')),
  },
  {
    route: 'DELETE org_user/{uid}',
    about: 'of an invitation',
    outcomes: byRight,
    prepare: prepareWithdrawal,
  },
  { route: 'POST invitation/{uid}', prepare: prepareInvitation, outcomes: bySelf },
  { route: 'DELETE session/{uid}', prepare: prepareSession, outcomes: bySelf },
  {
    route: 'PUT second_factor',
    outcomes: byPersonAlone,
    prepare: async () => ({ path: '/api/second_factor', body: {}, undo: endFactor }),
  },
  { route: 'POST second_factor', prepare: prepareConfirm, outcomes: bySelf },
  { route: 'DELETE second_factor', prepare: prepareFactorEnd, outcomes: byPersonAlone },
  {
    route: 'PUT organization',
    prepare: inserts('organization', () => ({ name: 'o' })),
    outcomes: ['done', 'done', 'password', 'done', 'never'],
  },
  {
    route: 'POST organization/{uid}',
    about: 'of its name',
    outcomes: byRight,
    prepare: () => prepareShared({ name: 'Renamed' }, { name: 'My organization' }),
  },
  {
    route: 'POST organization/{uid}',
    about: 'of who may act in it',
    outcomes: byPeople,
    prepare: () => prepareShared({ oauth: 'strict' }, { oauth: '' }),
  },
  {
    route: 'DELETE organization/{uid}',
    prepare: () => prepareOwnChange({}),
    // The key is not of that organization, and none has an OWNER behind it.
    outcomes: ['password', 'done', 'password', 'done', 'never'],
  },
]

const NOUNS =
  /^(?:api_key|oauth_client|oauth_grant|org_user|invitation|session|second_factor|organization)\b/

test('every route that changes who may act is in the table', async () => {
  const { body } = await home.send('GET', '/openapi.json')
  const routes: string[] = []
  for (const [path, item] of Object.entries(body.paths as Record<string, object>)) {
    const name = path.replace('/api/', '')
    if (!NOUNS.test(name)) continue
    for (const method of Object.keys(item)) {
      const isRead = method === 'get' && !name.endsWith('/secret')
      if (!isRead) routes.push(`${method.toUpperCase()} ${name}`)
    }
  }
  assert.deepEqual([...new Set(rows.map(({ route }) => route))].sort(), routes.sort())
})

function outcomeOf({ status, body }: Answer): Outcome | string {
  if (status === 200) return 'done'
  if (status === 401 && body.code === 'reauthenticate') return 'password'
  if (status === 403 && body.code === 'forbidden') return 'never'
  // An organization that is not the key's own does not exist for it.
  return status === 404 ? 'never' : `${status} ${JSON.stringify(body)}`
}

for (const row of rows) {
  const name = `${row.route}${row.about === undefined ? '' : `, ${row.about}`}`
  test(`${name}: done by whom it is for, by no token or key in their place`, async () => {
    const found: string[] = []
    for (const kind of callers) {
      const { path, body, headers, undo } = await row.prepare()
      const [method] = row.route.split(' ')
      const sent = method === 'PUT' || method === 'POST' ? (body ?? {}) : undefined
      const answer = await home.send(method, path, sent, { ...credentials.get(kind), ...headers })
      await undo?.()
      found.push(outcomeOf(answer))
    }
    assert.deepEqual(found, row.outcomes)
  })
}
