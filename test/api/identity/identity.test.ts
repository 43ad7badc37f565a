import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { createOrganization } from '../../../src/auth/administer/index.ts'
import { ManualClock } from '../../../src/base/index.ts'
import { type Answer, type Call, caller, signIn } from '../../support/caller.ts'
import { onCluster, startService } from '../../support/service.ts'
import { serviceOfFile } from '../../support/service-of-file.ts'

const clock = new ManualClock(Date.UTC(2026, 0, 15))
const service = serviceOfFile({ clock })
let owner: Call
/** The owner, who gives the password with every call. */
let person: Call
before(async () => {
  const session = await signIn(service, service.ownerEmail, service.ownerPassword)
  owner = caller(service, session)
  person = caller(service, session, { 'Weir-Password': service.ownerPassword })
})

const PASSWORD = 'a long enough password'
const GET_ALL = [{ resource: '*', methods: ['GET'] }]

async function addUser(
  by: Call,
  email: string,
  role: string,
): Promise<{ uid: string; call: Call }> {
  const answer = await by('PUT', '/api/org_user', { org_user: { email, role, password: PASSWORD } })
  assert.equal(answer.status, 200, answer.text)
  const call = caller(service, await signIn(service, email, PASSWORD))
  return { uid: String(answer.body.org_user.uid), call }
}

async function accept(person: Call, invited: Answer): Promise<void> {
  assert.equal(invited.body.org_user?.status, 'INVITED', invited.text)
  const { uid } = invited.body.org_user
  const answer = await person('POST', `/api/invitation/${uid}`, { accept: true })
  assert.equal(answer.status, 200, answer.text)
}

async function addKey(fields: object): Promise<{ uid: string; secret: string }> {
  const answer = await owner('PUT', '/api/api_key', { api_key: { name: 'k', ...fields } })
  assert.equal(answer.status, 200, answer.text)
  return { uid: answer.body.api_key.uid, secret: answer.body.api_key.secretKey }
}

function refusedAs(answer: Answer, status: number, message: RegExp): void {
  assert.equal(answer.status, status, answer.text)
  assert.equal(answer.body.success, false)
  assert.match(answer.body.message, message)
}

test('a new organization has one ready key named "Feed key"', async () => {
  const { body } = await owner('GET', '/api/api_key')
  assert.equal(body.totalCount, 1)
  assert.equal(body.api_key[0].name, 'Feed key')
  assert.deepEqual(body.api_key[0].capabilities, [
    { resource: 'component/*/feed', methods: ['GET', 'PUT'] },
    { resource: 'component/*/property', methods: ['GET', 'POST'] },
    { resource: 'conn_sink', methods: ['GET', 'PUT', 'POST', 'DELETE'] },
  ])
})

test('a key is inserted, updated, revealed, revoked, and each act is in the audit log', async () => {
  const { uid, secret } = await addKey({ name: 'Reader', capabilities: GET_ALL })
  assert.match(secret, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  const byKey = caller(service, `api_key=${secret}`)
  assert.equal((await byKey('GET', '/api/organization')).status, 200)
  const one = await owner('GET', `/api/api_key/${uid}`)
  assert.ok(!one.text.includes(secret))
  const revealed = await person('GET', `/api/api_key/${uid}/secret`)
  assert.equal(revealed.body.api_key.secretKey, secret)
  const off = await owner('POST', `/api/api_key/${uid}`, { api_key: { capabilities: [] } })
  assert.equal(off.body.api_key.isEnabled, false)
  assert.equal(off.body.api_key.name, 'Reader')
  refusedAs(await byKey('GET', '/api/organization'), 403, /disabled/)
  await owner('POST', `/api/api_key/${uid}`, { api_key: { capabilities: GET_ALL } })
  assert.equal((await byKey('GET', '/api/organization')).status, 200)
  assert.equal((await owner('DELETE', `/api/api_key/${uid}`)).status, 200)
  refusedAs(await byKey('GET', '/api/organization'), 401, /unknown/)
  refusedAs(await owner('GET', `/api/api_key/${uid}`), 404, /Cannot find api_key/)
  const { body } = await owner('GET', '/api/audit')
  const acts = body.audit.filter((entry: { target: string }) => entry.target === uid)
  assert.deepEqual(acts.map((entry: { act: string }) => entry.act).sort(), [
    'key_created',
    'key_revealed',
    'key_revoked',
    'key_updated',
    'key_updated',
  ])
})

test('a key that may only read does not see the secrets of others', async () => {
  const { uid, secret } = await addKey({ capabilities: GET_ALL })
  const byKey = caller(service, `api_key=${secret}`)
  assert.equal((await byKey('GET', `/api/api_key/${uid}`)).status, 200)
  const feedKey = (await byKey('GET', '/api/api_key')).body.api_key.find(
    ({ name }: { name: string }) => name === 'Feed key',
  )
  refusedAs(
    await byKey('GET', `/api/api_key/${feedKey.uid}/secret`),
    403,
    /does not allow POST on api_key/,
  )
})

test('a key gives, changes and reveals only what it has itself', async () => {
  const all = ['GET', 'PUT', 'POST', 'DELETE']
  const own = [
    { resource: 'api_key', methods: all },
    { resource: 'component/*/feed', methods: ['GET'] },
  ]
  const { uid, secret } = await addKey({ name: 'Keys only', capabilities: own })
  const byKey = caller(service, `api_key=${secret}`)
  const wide = await addKey({ capabilities: [{ resource: '*', methods: all }] })
  const before = (await owner('GET', '/api/api_key')).body.api_key
  const toAll = { api_key: { name: 'w', capabilities: [{ resource: '*', methods: ['GET'] }] } }
  const put = [{ resource: 'component/c/feed', methods: ['PUT'] }]
  const beyond = /does not allow \w+ on .*api_key\.capabilities/
  refusedAs(await byKey('PUT', '/api/api_key', toAll), 403, beyond)
  const narrow = { api_key: { name: 'w', capabilities: put } }
  refusedAs(
    await byKey('PUT', '/api/api_key', narrow),
    403,
    /does not allow PUT on component\/c\/feed/,
  )
  refusedAs(await byKey('POST', `/api/api_key/${uid}`, toAll), 403, beyond)
  refusedAs(await byKey('GET', `/api/api_key/${wide.uid}/secret`), 403, beyond)
  refusedAs(
    await byKey('POST', `/api/api_key/${wide.uid}`, { api_key: { capabilities: own } }),
    403,
    beyond,
  )
  const mistake = { api_key: { name: 'w', ipAddresses: ['here'] } }
  refusedAs(await byKey('PUT', '/api/api_key', mistake), 400, /ipAddresses\[0\]/)
  assert.deepEqual((await owner('GET', '/api/api_key')).body.api_key, before)
  const device = [{ resource: 'component/c/feed', methods: ['GET'] }]
  const made = await byKey('PUT', '/api/api_key', { api_key: { name: 'd', capabilities: device } })
  assert.equal(made.status, 200, made.text)
  const path = `/api/api_key/${made.body.api_key.uid}`
  refusedAs(await byKey('GET', `${path}/secret`), 401, /Sign in/)
  assert.equal((await byKey('POST', path, { api_key: { capabilities: [] } })).status, 200)
  assert.equal((await byKey('DELETE', path)).status, 200)
})

test('a key that is limited to IP addresses makes no key for others', async () => {
  const capabilities = [{ resource: 'api_key', methods: ['GET', 'PUT', 'POST'] }]
  const free = await addKey({ capabilities })
  const { uid, secret } = await addKey({ capabilities, ipAddresses: ['127.0.0.0/8'] })
  const byKey = caller(service, `api_key=${secret}`)
  const make = (ipAddresses: string[]) =>
    byKey('PUT', '/api/api_key', { api_key: { name: 'i', capabilities, ipAddresses } })
  refusedAs(await make([]), 403, /limited to IP addresses.*api_key\.ipAddresses/)
  refusedAs(await make(['127.0.0.1', '0.0.0.0/0']), 403, /limited to IP addresses/)
  const freed = { api_key: { ipAddresses: [] } }
  refusedAs(await byKey('POST', `/api/api_key/${uid}`, freed), 403, /limited to IP addresses/)
  refusedAs(await byKey('GET', `/api/api_key/${free.uid}/secret`), 403, /limited to IP addresses/)
  assert.equal((await make(['127.0.0.1'])).status, 200)
})

test('a key makes no administrators and sets no passwords', async () => {
  const methods = ['GET', 'PUT', 'POST', 'DELETE']
  const { secret } = await addKey({ capabilities: [{ resource: '*', methods }] })
  const byKey = caller(service, `api_key=${secret}`)
  const admin = await addUser(owner, 'key-admin@example.com', 'ADMIN')
  const member = await addUser(byKey, 'key-member@example.com', 'MEMBER')
  const check = async (method: string, uid: string, fields: object, message: RegExp) =>
    refusedAs(await byKey(method, `/api/org_user${uid}`, { org_user: fields }), 403, message)
  const made = { email: 'made@example.com', password: PASSWORD }
  await check('PUT', '', { ...made, role: 'ADMIN' }, /remove an ADMIN. Sign in/)
  await check('PUT', '', { ...made, role: 'OWNER' }, /remove an OWNER/)
  await check('POST', `/${member.uid}`, { role: 'ADMIN' }, /remove an ADMIN/)
  await check('POST', `/${member.uid}`, { password: 'taken over!' }, /not set a password/)
  await check('POST', `/${admin.uid}`, { role: 'GUEST' }, /remove an ADMIN/)
  await check('POST', `/${admin.uid}`, { email: 'mine@example.com' }, /remove an ADMIN/)
  await check('POST', `/${admin.uid}`, { password: 'taken over!' }, /remove an ADMIN/)
  refusedAs(await byKey('DELETE', `/api/org_user/${admin.uid}`), 403, /remove an ADMIN/)
  await signIn(service, 'key-admin@example.com', PASSWORD)
  await signIn(service, 'key-member@example.com', PASSWORD)
  const path = `/api/org_user/${member.uid}`
  const changed = await byKey('POST', path, { org_user: { role: 'GUEST', firstName: 'Ada' } })
  assert.equal(changed.body.org_user?.role, 'GUEST', changed.text)
  assert.equal((await byKey('DELETE', path)).status, 200)
})

test('a key adds and promotes users only up to what it may do itself', async () => {
  const all = ['GET', 'PUT', 'POST', 'DELETE']
  const users = { resource: 'org_user', methods: all }
  const keyOf = async (fields: object) =>
    caller(service, `api_key=${(await addKey(fields)).secret}`)
  const usersOnly = await keyOf({ capabilities: [users] })
  const reader = await keyOf({ capabilities: [users, { resource: '*', methods: ['GET'] }] })
  const bound = await keyOf({
    capabilities: [{ resource: '*', methods: all }],
    ipAddresses: ['127.0.0.1'],
  })
  const add = (call: Call, email: string, role: string, password?: string) =>
    call('PUT', '/api/org_user', { org_user: { email, role, password } })
  const beyond = /API key does not allow \w+ on .*, so it cannot assign the role (?:MEMBER|GUEST)/
  refusedAs(await add(usersOnly, 'gain@example.com', 'MEMBER', PASSWORD), 403, beyond)
  refusedAs(await add(usersOnly, 'gain@example.com', 'GUEST', PASSWORD), 403, beyond)
  refusedAs(await add(reader, 'gain@example.com', 'MEMBER', PASSWORD), 403, beyond)
  const everywhere = /limited to IP addresses, so it cannot assign the role MEMBER/
  refusedAs(await add(bound, 'gain@example.com', 'MEMBER', PASSWORD), 403, everywhere)
  const { body } = await add(reader, 'lookout@example.com', 'GUEST', PASSWORD)
  const path = `/api/org_user/${body.org_user.uid}`
  const setRole = (call: Call, role: string) => call('POST', path, { org_user: { role } })
  refusedAs(await setRole(reader, 'MEMBER'), 403, beyond)
  assert.equal((await setRole(owner, 'MEMBER')).status, 200)
  assert.equal((await setRole(usersOnly, 'GUEST')).body.org_user.role, 'GUEST')
  refusedAs(await setRole(usersOnly, 'MEMBER'), 403, beyond)
  assert.equal((await usersOnly('DELETE', path)).status, 200)
  const { org_user } = (await owner('GET', '/api/org_user')).body
  assert.ok(!org_user.some(({ email }: { email: string }) => email === 'gain@example.com'))
})

test('an account of elsewhere is let in only by a key that has the role itself', async () => {
  const { identity } = service.app
  const second = await createOrganization(identity, {
    name: 'Elsewhere',
    ownerEmail: 'elsewhere@example.com',
    ownerTimeZone: 'UTC',
    actor: 'test',
  })
  const { secret } = await addKey({ capabilities: [{ resource: 'org_user', methods: ['PUT'] }] })
  const byKey = caller(service, `api_key=${secret}`)
  const known = { org_user: { email: second.owner.email } }
  refusedAs(await byKey('PUT', '/api/org_user', known), 403, /cannot assign the role MEMBER/)
})

test('a key without the method, or from another address, gets 403', async () => {
  const putOnly = await addKey({ capabilities: [{ resource: 'organization', methods: ['PUT'] }] })
  refusedAs(
    await caller(service, `api_key=${putOnly.secret}`)('GET', '/api/organization'),
    403,
    /does not allow GET on organization/,
  )
  const elsewhere = await addKey({ capabilities: GET_ALL, ipAddresses: ['192.0.2.0/24', '::5'] })
  refusedAs(
    await caller(service, `api_key=${elsewhere.secret}`)('GET', '/api/organization'),
    403,
    /from 127\.0\.0\.1/,
  )
  const here = await addKey({ capabilities: GET_ALL, ipAddresses: ['127.0.0.0/8'] })
  const answer = await caller(service, `api_key=${here.secret}`)('GET', '/api/organization')
  assert.equal(answer.status, 200)
})

test('keys with mistakes are refused by the name of the field, and nothing is inserted', async () => {
  const before = (await owner('GET', '/api/api_key')).body.totalCount
  const check = async (fields: object, expected: RegExp) =>
    refusedAs(await owner('PUT', '/api/api_key', { api_key: fields }), 400, expected)
  await check({}, /api_key\.name/)
  await check({ name: 5 }, /api_key\.name must be string/)
  await check({ name: 'x', capabilities: {} }, /api_key\.capabilities must be array/)
  await check(
    { name: 'x', capabilities: [{ resource: 'feed', methods: [] }] },
    /capabilities\[0\]\.resource must be "\*" or begin with/,
  )
  const patch = { name: 'x', capabilities: [{ resource: 'unit', methods: ['GET', 'PATCH'] }] }
  await check(patch, /api_key\.capabilities\[0\]\.methods\[1\] must be one of GET, PUT, /)
  const lacking = { api_key: { name: 'x', capabilities: [{ methods: [] }] } }
  const { body } = await owner('PUT', '/api/api_key', lacking)
  assert.equal(body.field, 'api_key.capabilities[0].resource')
  await check({ name: 'x', ipAddresses: ['10.0.0.0/40'] }, /ipAddresses\[0\] must have a prefix/)
  refusedAs(await owner('PUT', '/api/api_key', { key: {} }), 400, /required property 'api_key'/)
  assert.equal((await owner('GET', '/api/api_key')).body.totalCount, before)
})

test('roles decide: members administer nothing, guests only read', async () => {
  const member = await addUser(owner, 'member@example.com', 'MEMBER')
  const guest = await addUser(owner, 'guest@example.com', 'GUEST')
  const admin = await addUser(owner, 'admin@example.com', 'ADMIN')
  const check = async (call: Call, method: string, path: string, expected: number, body?: object) =>
    assert.equal((await call(method, path, body)).status, expected, `${method} ${path}`)
  await check(member.call, 'GET', '/api/org_user', 200)
  await check(member.call, 'GET', '/api/api_key', 403)
  await check(member.call, 'GET', '/api/audit', 403)
  await check(member.call, 'PUT', '/api/org_user', 403, { org_user: { email: 'x@example.com' } })
  await check(guest.call, 'GET', '/api/organization', 200)
  await check(guest.call, 'DELETE', `/api/org_user/${member.uid}`, 403)
  await check(admin.call, 'GET', '/api/audit', 200)
  await check(admin.call, 'PUT', '/api/organization', 403, { organization: { name: 'x' } })
  const toOwner = { org_user: { role: 'OWNER' } }
  await check(admin.call, 'POST', `/api/org_user/${member.uid}`, 403, toOwner)
  await check(member.call, 'POST', `/api/org_user/${member.uid}`, 403, toOwner)
  await check(admin.call, 'DELETE', `/api/org_user/${guest.uid}`, 200)
  await check(guest.call, 'GET', '/api/organization', 401)
})

test('a change of role holds at once and is written down', async () => {
  const user = await addUser(owner, 'promoted@example.com', 'MEMBER')
  assert.equal((await user.call('GET', '/api/api_key')).status, 403)
  const promoted = { org_user: { role: 'ADMIN' } }
  assert.equal((await owner('POST', `/api/org_user/${user.uid}`, promoted)).status, 200)
  assert.equal((await user.call('GET', '/api/api_key')).status, 200)
  const { body } = await owner('GET', '/api/audit?limit=5')
  const [entry] = body.audit.filter((one: { act: string }) => one.act === 'role_changed')
  assert.equal(entry.target, user.uid)
  assert.equal(entry.detail, 'MEMBER to ADMIN')
})

test('the only owner can neither leave nor step down', async () => {
  const { body } = await owner('GET', '/api/org_user')
  const self = body.org_user.find((user: { role: string }) => user.role === 'OWNER')
  refusedAs(await owner('DELETE', `/api/org_user/${self.uid}`), 409, /only OWNER/)
  const down = { org_user: { role: 'MEMBER' } }
  refusedAs(await owner('POST', `/api/org_user/${self.uid}`, down), 409, /only OWNER/)
})

test('users change themselves; a new password needs the old one and ends all sessions', async () => {
  const user = await addUser(owner, 'self@example.com', 'GUEST')
  const path = `/api/org_user/${user.uid}`
  const named = await user.call('POST', path, {
    org_user: { firstName: 'Ada', timeZoneId: 'Europe/Paris' },
  })
  assert.equal(named.body.org_user.firstName, 'Ada')
  assert.equal(named.body.org_user.timeZoneId, 'Europe/Paris')
  refusedAs(
    await user.call('POST', path, { org_user: { password: 'another password' } }),
    401,
    /currentPassword/,
  )
  const change = { org_user: { password: 'another password', currentPassword: PASSWORD } }
  const changed = await user.call('POST', path, change)
  assert.equal(changed.status, 200)
  assert.ok(!changed.text.includes('another password') && !changed.text.includes('argon2'))
  assert.equal((await user.call('GET', path)).status, 401)
  await signIn(service, 'self@example.com', 'another password')
})

test('users with mistakes are refused by the name of the field', async () => {
  const check = async (fields: object, status: number, expected: RegExp) =>
    refusedAs(await owner('PUT', '/api/org_user', { org_user: fields }), status, expected)
  await check({}, 400, /org_user\.email/)
  await check({ email: 'nobody' }, 400, /org_user\.email must be an email/)
  await check({ email: 'n@example.com' }, 400, /org_user\.password is required/)
  await check({ email: 'n@example.com', password: 'short' }, 400, /org_user\.password must have/)
  const zone = { email: 'n@example.com', password: PASSWORD, timeZoneId: 'Mars' }
  await check(zone, 400, /org_user\.timeZoneId must be/)
  await check(
    { email: 'n@example.com', role: 'KING' },
    400,
    /org_user\.role must be one of OWNER, ADMIN, /,
  )
  await check({ email: service.ownerEmail, password: PASSWORD }, 409, /already/)
})

test('an organization sees nothing of another one', async () => {
  const inserted = await owner('PUT', '/api/organization', { organization: { name: 'Second' } })
  assert.equal(inserted.status, 200, inserted.text)
  const second = inserted.body.organization.uid
  const session = await signIn(service, service.ownerEmail, service.ownerPassword)
  const inSecond = caller(service, `${session}; org=${second}`)
  const stranger = await addUser(inSecond, 'stranger@example.com', 'ADMIN')
  const { uid: keyUid } = await addKey({ capabilities: GET_ALL })
  const put = await owner('PUT', '/api/component', { component: { id: 'private', name: 'p' } })
  assert.equal(put.status, 200, put.text)
  const componentUid = put.body.component.uid
  const users = (await owner('GET', '/api/org_user')).body.org_user
  const check = async (call: Call, method: string, path: string, body?: object) => {
    const answer = await call(method, path, body)
    refusedAs(answer, 404, /Cannot find/)
    assert.ok(!/example\.com|Feed key/.test(answer.text), answer.text)
  }
  await check(owner, 'GET', `/api/org_user/${stranger.uid}`)
  await check(owner, 'DELETE', `/api/org_user/${stranger.uid}`)
  await check(stranger.call, 'GET', `/api/org_user/${users[0].uid}`)
  await check(stranger.call, 'GET', `/api/api_key/${keyUid}/secret`)
  await check(stranger.call, 'DELETE', `/api/api_key/${keyUid}`)
  await check(stranger.call, 'GET', `/api/component/${componentUid}`)
  await check(stranger.call, 'DELETE', `/api/component/${componentUid}`)
  await check(stranger.call, 'GET', '/api/comp/private/feed')
  await check(stranger.call, 'GET', `/api/organization/${service.orgUid}`)
  await check(stranger.call, 'POST', `/api/organization/${service.orgUid}`, { organization: {} })
  await check(stranger.call, 'GET', `/api/org_user?org=${service.orgUid}`)
  assert.equal((await stranger.call('GET', '/api/api_key')).body.totalCount, 1)
  const both = (await owner('GET', '/api/organization')).body.organization
  assert.equal(both.length, 2)
  const shared = await owner('POST', `/api/org_user/${users[0].uid}`, { org_user: {} })
  assert.equal(shared.status, 200)
})

test('a user of two organizations is edited by neither, only in role', async () => {
  const { body } = await owner('PUT', '/api/organization', { organization: { name: 'Third' } })
  const session = await signIn(service, service.ownerEmail, service.ownerPassword)
  const inThird = caller(service, `${session}; org=${body.organization.uid}`)
  const user = await addUser(owner, 'shared@example.com', 'MEMBER')
  const added = await inThird('PUT', '/api/org_user', {
    org_user: { email: 'shared@example.com', role: 'GUEST' },
  })
  await accept(user.call, added)
  await signIn(service, 'shared@example.com', PASSWORD)
  refusedAs(
    await inThird('POST', `/api/org_user/${user.uid}`, { org_user: { password: 'taken over!' } }),
    403,
    /another organization/,
  )
  assert.equal((await inThird('DELETE', `/api/org_user/${user.uid}`)).status, 200)
  assert.equal((await user.call('GET', '/api/organization')).status, 200)
})

test('an account planted by another organization does not take a given password for its own', async () => {
  const { body } = await owner('PUT', '/api/organization', { organization: { name: 'Planter' } })
  const session = await signIn(service, service.ownerEmail, service.ownerPassword)
  const planter = caller(service, `${session}; org=${body.organization.uid}`)
  const planted = await addUser(planter, 'victim@example.com', 'GUEST')
  const add = (fields: object) =>
    owner('PUT', '/api/org_user', { org_user: { email: 'Victim@example.com', ...fields } })
  const message = /already has an account with a password.*leave the password out/
  refusedAs(await add({ role: 'ADMIN', password: 'chosen for the victim' }), 409, message)
  refusedAs(await add({ role: 'ADMIN', password: PASSWORD }), 409, message)
  const organizations = async () =>
    (await planted.call('GET', '/api/organization')).body.organization.map(
      ({ uid }: { uid: string }) => uid,
    )
  assert.deepEqual(await organizations(), [body.organization.uid])
  await accept(planted.call, await add({ role: 'GUEST' }))
  assert.deepEqual(await organizations(), [body.organization.uid, service.orgUid])
  refusedAs(await add({ password: PASSWORD }), 409, /already belongs to this organization/)
})

test('deleting an organization deletes everything below it, and nothing of others', async () => {
  const { body } = await owner('PUT', '/api/organization', { organization: { name: 'Doomed' } })
  const { uid } = body.organization
  const session = await signIn(service, service.ownerEmail, service.ownerPassword)
  const proof = { 'Weir-Password': service.ownerPassword }
  const inDoomed = caller(service, `${session}; org=${uid}`, proof)
  const only = await addUser(inDoomed, 'doomed@example.com', 'ADMIN')
  const keys = (await inDoomed('GET', '/api/api_key')).body.api_key
  const revealed = await inDoomed('GET', `/api/api_key/${keys[0].uid}/secret`)
  const byKey = caller(service, `api_key=${revealed.body.api_key.secretKey}`)
  const put = await byKey('PUT', '/api/feed?compId=doomed&a=1')
  assert.equal(put.status, 200, put.text)
  const kept = await caller(service, `api_key=${service.feedKey}`)(
    'PUT',
    '/api/feed?compId=doomed&a=2',
  )
  assert.equal(kept.status, 200, kept.text)
  refusedAs(await only.call('DELETE', `/api/organization/${uid}`), 403, /OWNER/)
  refusedAs(await owner('DELETE', `/api/organization/${uid}`), 404, /Cannot find/)
  assert.equal((await inDoomed('DELETE', `/api/organization/${uid}`)).status, 200)
  refusedAs(await byKey('PUT', '/api/feed?compId=doomed&a=1'), 401, /unknown/)
  refusedAs(await only.call('GET', '/api/organization'), 401, /session/)
  refusedAs(await inDoomed('GET', '/api/organization'), 404, /Cannot find organization/)
  const left = await caller(service, `api_key=${service.feedKey}`)(
    'GET',
    '/api/comp/doomed/last_value',
  )
  assert.equal(left.body[0].data, 2)
})

test('the only organization of a service stays', async () => {
  const other = await startService({ clock })
  const cookie = await signIn(other, other.ownerEmail, other.ownerPassword)
  const proof = { 'Weir-Password': other.ownerPassword }
  const answer = await caller(other, cookie, proof)('DELETE', `/api/organization/${other.orgUid}`)
  refusedAs(answer, 409, /only organization/)
  await other.close()
})

test('lists page with start and limit and return the total', async () => {
  const all = (await owner('GET', '/api/api_key')).body
  assert.ok(all.totalCount >= 3)
  const page = (await owner('GET', '/api/api_key?start=1&limit=2')).body
  assert.equal(page.totalCount, all.totalCount)
  assert.deepEqual(page.api_key, all.api_key.slice(1, 3))
  refusedAs(await owner('GET', '/api/api_key?limit=0'), 400, /limit/)
  refusedAs(await owner('GET', '/api/api_key?start=x'), 400, /start/)
})

test('GET …/new gives an unsaved default', async () => {
  for (const noun of ['api_key', 'org_user', 'organization']) {
    const { status, body } = await owner('GET', `/api/${noun}/new`)
    assert.equal(status, 200)
    assert.equal(body[noun].uid, undefined)
  }
})

test('a session ends after 24 h without use, and not before', async () => {
  const call = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
  clock.advance(23 * 3_600_000)
  assert.equal((await call('GET', '/api/organization')).status, 200)
  clock.advance(23 * 3_600_000)
  assert.equal((await call('GET', '/api/organization')).status, 200)
  clock.advance(24 * 3_600_000)
  refusedAs(await call('GET', '/api/organization'), 401, /session/)
  owner = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
})

test('sessions, keys and roles survive a restart', async () => {
  const session = await signIn(service, service.ownerEmail, service.ownerPassword)
  clock.advance(23 * 3_600_000)
  assert.equal((await caller(service, session)('GET', '/api/organization')).status, 200)
  await service.restart()
  clock.advance(2 * 3_600_000)
  assert.equal((await caller(service, session)('GET', '/api/organization')).status, 200)
  assert.equal(service.app.firstStart, undefined)
  owner = caller(service, session)
})

test('sign-ins, right and wrong, are in the audit log of the user and nowhere else', async () => {
  const user = await addUser(owner, 'audited@example.com', 'MEMBER')
  const wrong = await caller(service, '')('POST', '/api/login', {
    email: 'audited@example.com',
    password: 'not the password',
  })
  assert.equal(wrong.status, 401)
  await user.call('DELETE', '/api/login')
  await service.restart()
  owner = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
  const { body } = await owner('GET', '/api/audit?limit=20')
  const acts = body.audit
    .filter(({ actor }: { actor: string }) => actor === `user:${user.uid}`)
    .map(({ act, address }: { act: string; address: string }) => `${act} ${address}`)
  assert.deepEqual(acts.reverse(), [
    'sign_in 127.0.0.1',
    'sign_in_failed 127.0.0.1',
    'sign_out 127.0.0.1',
  ])
})

test('a secret of a lost key file is said to be lost; the key itself goes on working', {
  skip: onCluster('a process without the key of its cluster does not start'),
}, async () => {
  const { uid, secret } = await addKey({ capabilities: GET_ALL })
  rmSync(join(service.dataDir, 'secret.key'))
  await service.restart()
  const session = await signIn(service, service.ownerEmail, service.ownerPassword)
  owner = caller(service, session)
  person = caller(service, session, { 'Weir-Password': service.ownerPassword })
  refusedAs(await person('GET', `/api/api_key/${uid}/secret`), 409, /another secret\.key/)
  const byKey = caller(service, `api_key=${secret}`)
  assert.equal((await byKey('GET', '/api/organization')).status, 200)
})

test('DELETE /api/login ends the session', async () => {
  const call = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
  assert.equal((await call('DELETE', '/api/login')).status, 200)
  refusedAs(await call('GET', '/api/organization'), 401, /session/)
  refusedAs(await call('DELETE', '/api/login'), 401, /no session/)
})

test('a field that an API key does not have is a 400, and nothing is made or changed', async () => {
  const count = async () => (await owner('GET', '/api/api_key')).body.totalCount
  const before = await count()
  const entry = { resource: 'unit', methods: ['GET'] }
  for (const [record, message] of [
    [
      { name: 'k', capabilites: [entry] },
      /^api_key.capabilites is unknown\. Fields of api_key are name, /,
    ],
    [{ name: 'k', capabilities: [entry], ipAdresses: ['192.0.2.1'] }, /ipAdresses is unknown/],
    [{ capabilities: [{ ...entry, methodes: ['PUT'] }] }, /capabilities\[0\].methodes is unknown/],
  ] as const) {
    const made = await owner('PUT', '/api/api_key', { api_key: record })
    assert.equal(made.status, 400, made.text)
    assert.match(made.body.message, message)
  }
  assert.equal(await count(), before)
  const { uid } = await addKey({ name: 'Kept', capabilities: [entry] })
  const { api_key } = (await owner('GET', `/api/api_key/${uid}`)).body
  const back = await owner('POST', `/api/api_key/${uid}`, { api_key })
  assert.equal(back.status, 200, 'what was answered may be sent back')
  const wrong = await owner('POST', `/api/api_key/${uid}`, { api_key: { ...api_key, title: 'x' } })
  assert.equal(wrong.status, 400)
})
