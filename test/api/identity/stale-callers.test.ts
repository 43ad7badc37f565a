/** A right that is revoked during a call no longer applies to it. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type Call, caller, signIn } from '../../support/caller.ts'
import { type BegunCall, beginCall, type PartedCall } from '../../support/parted-call.ts'
import { serviceOfFile } from '../../support/service-of-file.ts'

const EVERYTHING = [{ resource: '*', methods: ['GET', 'PUT', 'POST', 'DELETE'] }]
const PASSWORD = 'the first long sentence'

const service = serviceOfFile()
let owner: Call
before(async () => {
  const session = await signIn(service, service.ownerEmail, service.ownerPassword)
  owner = caller(service, session, { 'Weir-Password': service.ownerPassword })
  await done('PUT', '/api/feed?compId=c&a=1')
  await done('PUT', '/api/unit', { unit: { id: 'before', name: 'before' } })
})

async function done(method: string, path: string, body?: object) {
  const answer = await owner(method, path, body)
  assert.equal(answer.status, 200, `${method} ${path}: ${answer.text}`)
  return answer.body
}

/** An administrator, a key that may everything, and a session and a token of the administrator. */
interface Rights {
  readonly userUid: string
  readonly email: string
  readonly keyUid: string
  readonly grantUid: string
  /** How a call carries each credential. */
  readonly headers: Readonly<Record<Credential, Record<string, string>>>
}

type Credential = 'session' | 'token' | 'key'

let made = 0

async function makeRights(): Promise<Rights> {
  made += 1
  const email = `person${made}@example.com`
  const org_user = { email, role: 'ADMIN', password: PASSWORD }
  const userUid = (await done('PUT', '/api/org_user', { org_user })).org_user.uid
  const Cookie = await signIn(service, email, PASSWORD)
  const asked = { email, password: PASSWORD, client_id: 'c1', response_type: 'code' }
  const anyone = caller(service, '')
  const { oauthCode: code } = (await anyone('POST', '/api/oauth_login', asked)).body
  const exchange = { grant_type: 'authorization_code', client_id: 'c1', code }
  const token = (await anyone('POST', '/api/oauth_access_token', exchange)).body.access_token
  const grants = await caller(service, Cookie)('GET', '/api/oauth_grant')
  const key = { name: `key ${made}`, capabilities: EVERYTHING }
  const { api_key } = await done('PUT', '/api/api_key', { api_key: key })
  const headers = {
    session: { Cookie },
    token: { Authorization: `Bearer ${token}` },
    key: { 'X-Api-Key': api_key.secretKey },
  }
  // So that all of them are in memory, as those of callers in the midst of their work.
  for (const one of Object.values(headers)) {
    assert.equal((await caller(service, '', one)('GET', '/api/unit')).status, 200)
  }
  const grantUid = grants.body.oauth_grant[0].uid
  return { userUid, email, keyUid: api_key.uid, grantUid, headers }
}

/** The acts of the table, each named by what it would leave behind. */
function actsBy(rights: Rights, name: string): Record<string, PartedCall> {
  const api_key = { name, capabilities: EVERYTHING }
  const user = (role: string) => ({
    org_user: { email: `${role}.${name}@example.com`.toLowerCase(), role, password: PASSWORD },
  })
  return {
    'add ADMIN': { method: 'PUT', path: '/api/org_user', body: user('ADMIN') },
    'add MEMBER': { method: 'PUT', path: '/api/org_user', body: user('MEMBER') },
    'add key': { method: 'PUT', path: '/api/api_key', body: { api_key } },
    'change key': {
      method: 'POST',
      path: `/api/api_key/${rights.keyUid}`,
      body: { api_key: { description: name } },
    },
    'put unit': { method: 'PUT', path: '/api/unit', body: { unit: { id: name, name } } },
    'put component': { method: 'PUT', path: '/api/component', body: { component: { id: name } } },
    'put feed': {
      method: 'PUT',
      path: '/api/feed',
      body: [{ compId: 'c', streamId: 'a', data: name.length + made * 100 }],
    },
    'create by feed': {
      method: 'PUT',
      path: '/api/feed',
      body: [{ compId: `fed-${name}`, streamId: 'a', data: 1 }],
    },
    'set property': {
      method: 'POST',
      path: '/api/comp/c/property',
      body: [{ component: { description: name } }],
    },
    'put file': {
      method: 'PUT',
      path: `/api/comp/c/stream/f/feed/file/${name}`,
      body: 'x'.repeat(100),
    },
    'create by file': {
      method: 'PUT',
      path: `/api/comp/filed-${name}/stream/f/feed/file/x`,
      body: 'x'.repeat(100),
    },
  }
}

/** What the acts could have changed. */
async function stateOf(): Promise<string> {
  const paths = [
    ...['org_user', 'api_key', 'unit', 'component', 'component_folder'].map(
      (kind) => `/api/${kind}?limit=1000`,
    ),
    '/api/comp/c/feed',
    '/api/comp/c/property',
  ]
  const bodies: unknown[] = []
  for (const path of paths) bodies.push((await owner('GET', path)).body)
  return JSON.stringify(bodies, null, 1)
}

interface Ending {
  /** The credentials that it ends or narrows. */
  readonly credentials: readonly Credential[]
  readonly status: number
  end(rights: Rights): Promise<unknown>
}

const endings: Readonly<Record<string, Ending>> = {
  'the user is removed': {
    credentials: ['session', 'token'],
    status: 401,
    end: ({ userUid }) => done('DELETE', `/api/org_user/${userUid}`),
  },
  'the password is changed': {
    credentials: ['session', 'token'],
    status: 401,
    end: ({ userUid }) =>
      done('POST', `/api/org_user/${userUid}`, { org_user: { password: 'another long sentence' } }),
  },
  'the user becomes a GUEST': {
    credentials: ['session', 'token'],
    status: 403,
    end: ({ userUid }) => done('POST', `/api/org_user/${userUid}`, { org_user: { role: 'GUEST' } }),
  },
  'the session is ended': {
    credentials: ['session'],
    status: 401,
    end: async ({ headers }) => {
      const own = caller(service, headers.session.Cookie)
      const { session } = (await own('GET', '/api/session')).body
      assert.equal((await own('DELETE', `/api/session/${session[0].uid}`)).status, 200)
    },
  },
  'the user signs out': {
    credentials: ['session'],
    status: 401,
    end: ({ headers }) => caller(service, headers.session.Cookie)('DELETE', '/api/login'),
  },
  'the grant is taken back': {
    credentials: ['token'],
    status: 401,
    end: ({ headers, grantUid }) =>
      caller(service, headers.session.Cookie)('DELETE', `/api/oauth_grant/${grantUid}`),
  },
  'the key is deleted': {
    credentials: ['key'],
    status: 401,
    end: ({ keyUid }) => done('DELETE', `/api/api_key/${keyUid}`),
  },
  'the key may only read': {
    credentials: ['key'],
    status: 403,
    end: ({ keyUid }) =>
      done('POST', `/api/api_key/${keyUid}`, {
        api_key: { capabilities: [{ resource: '*', methods: ['GET'] }] },
      }),
  },
}

/** Acts that only a signed-in user may do: refused from the start for other credentials. */
const FOR_PEOPLE: Readonly<Record<Credential, readonly string[]>> = {
  session: [],
  token: ['add ADMIN', 'add MEMBER', 'add key', 'change key'],
  key: ['add ADMIN'],
}

/** The calls of a credential, half sent. */
async function beginAll(rights: Rights, credential: Credential) {
  const acts = Object.entries(actsBy(rights, `${credential}${made}`)).filter(
    ([act]) => !FOR_PEOPLE[credential].includes(act),
  )
  const begun: { readonly act: string; readonly call: BegunCall }[] = []
  for (const [act, call] of acts) {
    const headers = rights.headers[credential]
    begun.push({ act, call: await beginCall(service.port, { ...call, headers }) })
  }
  return begun
}

for (const credential of ['session', 'token', 'key'] as const) {
  test(`calls by ${credential} that arrive in two parts are served`, async () => {
    const rights = await makeRights()
    for (const { act, call } of await beginAll(rights, credential)) {
      // Others change, which is nothing to this one.
      await done('POST', '/api/org_user/' + rights.userUid, { org_user: { firstName: act } })
      const { status, text } = await call.finish()
      assert.equal(status, 200, `${act}: ${text}`)
    }
  })
}

for (const [name, { credentials, status: expected, end }] of Object.entries(endings)) {
  for (const credential of credentials) {
    test(`nothing of a call by ${credential} is stored when ${name} before its body is whole`, async () => {
      const rights = await makeRights()
      const begun = await beginAll(rights, credential)
      await end(rights)
      const before = await stateOf()
      for (const { act, call } of begun) {
        const { status, text } = await call.finish()
        assert.equal(status, expected, `${act}: ${text}`)
      }
      assert.equal(await stateOf(), before)
    })
  }
}

/** Acts that wait for a password to be hashed or checked. */
const hashing: Readonly<Record<string, (by: Call) => ReturnType<Call>>> = {
  'add ADMIN': (by) =>
    by('PUT', '/api/org_user', {
      org_user: { email: 'late@example.com', role: 'ADMIN', password: PASSWORD },
    }),
  'see a secret': async (by) => {
    const { api_key } = await done('GET', '/api/api_key')
    return by('GET', `/api/api_key/${api_key[0].uid}/secret`)
  },
  'begin a second factor': (by) => by('PUT', '/api/second_factor', { currentPassword: PASSWORD }),
}

for (const name of ['the user is removed', 'the password is changed', 'the session is ended']) {
  for (const [act, run] of Object.entries(hashing)) {
    test(`${act}: refused when ${name} while the password is hashed`, async (t) => {
      const rights = await makeRights()
      const { hasher } = service.app.identity
      const method = act === 'add ADMIN' ? 'hash' : 'verify'
      const real = hasher[method].bind(hasher) as (...given: unknown[]) => Promise<never>
      let before = ''
      const mocked = t.mock.method(hasher, method, async (...given: unknown[]) => {
        mocked.mock.restore()
        await endings[name].end(rights)
        before = await stateOf()
        return await real(...given)
      })
      const by = caller(service, rights.headers.session.Cookie, { 'Weir-Password': PASSWORD })
      const { status, text } = await run(by)
      assert.ok(status === 401 || status === 403, text)
      assert.equal(await stateOf(), before)
    })
  }
}

test('a sign-in whose password is changed while it is checked opens nothing', async (t) => {
  const { userUid, email } = await makeRights()
  const { hasher, sessions } = service.app.identity
  const real = hasher.verify.bind(hasher)
  const mocked = t.mock.method(hasher, 'verify', async (...given: Parameters<typeof real>) => {
    mocked.mock.restore()
    const org_user = { password: 'another long sentence' }
    await done('POST', `/api/org_user/${userUid}`, { org_user })
    return real(...given)
  })
  const login = await caller(service, '')('POST', '/api/login', { email, password: PASSWORD })
  assert.equal(login.status, 401, login.text)
  assert.equal((await sessions.listOf(userUid, { start: 0, limit: 10 })).sessions.length, 0)
})

test('a session that is opened after the password was changed is ended at once', async () => {
  const { userUid } = await makeRights()
  const { identity } = service.app
  const user = await identity.users.find(userUid)
  assert.ok(user !== undefined)
  const org_user = { password: 'another long sentence' }
  await done('POST', `/api/org_user/${userUid}`, { org_user })
  await assert.rejects(identity.openSession(user, { address: '127.0.0.1', client: '' }))
  const left = await identity.sessions.listOf(userUid, { start: 0, limit: 10 })
  assert.equal(left.sessions.length, 0)
})
