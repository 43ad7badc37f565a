import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { createOrganization } from '../../../src/auth/administer/index.ts'
import { ManualClock } from '../../../src/base/index.ts'
import { type Call, caller, signIn } from '../../support/caller.ts'
import { serviceOfFile } from '../../support/service-of-file.ts'

const PASSWORD = 'a long enough password'
const clock = new ManualClock(Date.UTC(2026, 0, 15))
const service = serviceOfFile({ clock })
let owner: Call
/** The owner of an organization that wants others in it. */
let stranger: Call
let otherOrg: string
before(async () => {
  owner = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
  const second = await createOrganization(service.app.identity, {
    name: 'Strangers',
    ownerEmail: 'stranger@example.com',
    ownerPassword: PASSWORD,
    ownerTimeZone: 'UTC',
    actor: 'test',
  })
  otherOrg = second.organization.uid
  stranger = caller(service, await signIn(service, 'stranger@example.com', PASSWORD))
})

async function addPerson(name: string, role = 'MEMBER'): Promise<{ uid: string; call: Call }> {
  const email = `${name}@example.com`
  const fields = { email, role, password: PASSWORD, firstName: name, lastName: 'Secretive' }
  const made = await owner('PUT', '/api/org_user', { org_user: fields })
  assert.equal(made.status, 200, made.text)
  assert.equal(made.body.org_user.status, 'MEMBER')
  const call = caller(service, await signIn(service, email, PASSWORD))
  return { uid: made.body.org_user.uid, call }
}

async function invite(by: Call, email: string, role = 'MEMBER'): Promise<string> {
  const { status, text, body } = await by('PUT', '/api/org_user', { org_user: { email, role } })
  assert.equal(status, 200, text)
  assert.equal(body.org_user.status, 'INVITED')
  return body.org_user.uid
}

async function actsIn(by: Call): Promise<{ act: string; actor: string; address: string }[]> {
  return (await by('GET', '/api/audit?limit=1000')).body.audit
}

test('an account that is invited shows nothing of itself before it accepts', async () => {
  const ada = await addPerson('ada')
  const uid = await invite(stranger, 'Ada@example.com', 'ADMIN')
  assert.notEqual(uid, ada.uid)
  await signIn(service, 'ada@example.com', PASSWORD)
  const wrong = await caller(service, '')('POST', '/api/login', {
    email: 'ada@example.com',
    password: 'wrong',
  })
  assert.equal(wrong.status, 401)
  const list = await stranger('GET', '/api/org_user')
  assert.equal(list.body.totalCount, 2)
  const shown = list.body.org_user.find((one: { uid: string }) => one.uid === uid)
  assert.deepEqual(shown, (await stranger('GET', `/api/org_user/${uid}`)).body.org_user)
  assert.deepEqual(
    { ...shown, creationDate: 0, uid: '' },
    {
      uid: '',
      email: 'ada@example.com',
      firstName: '',
      lastName: '',
      role: 'ADMIN',
      creationDate: 0,
      status: 'INVITED',
      fullName: '',
      isOwner: false,
    },
  )
  assert.equal((await stranger('GET', `/api/org_user/${ada.uid}`)).status, 404)
  const acts = JSON.stringify(await actsIn(stranger))
  assert.ok(!acts.includes(ada.uid) && !acts.includes('Secretive'), acts)
  const { organization } = (await ada.call('GET', '/api/organization')).body
  assert.deepEqual(
    organization.map((one: { uid: string }) => one.uid),
    [service.orgUid],
  )
  assert.equal((await ada.call('GET', `/api/api_key?org=${otherOrg}`)).status, 404)
})

test('the home administrator still edits an account that other organizations have invited', async () => {
  const bea = await addPerson('bea')
  await invite(stranger, 'bea@example.com')
  const currentPassword = service.ownerPassword
  const change = { org_user: { password: 'set by the home admin', currentPassword } }
  const changed = await owner('POST', `/api/org_user/${bea.uid}`, change)
  assert.equal(changed.status, 200, changed.text)
  await signIn(service, 'bea@example.com', 'set by the home admin')
})

test('a client of an organization is vouched for only after the invitation was accepted', async () => {
  const cyd = await addPerson('cyd')
  const uid = await invite(stranger, 'cyd@example.com')
  const { oauthUsers } = service.app.identity
  const organizations = async () =>
    (await oauthUsers.organizationsOf(cyd.uid)).map(({ orgUid }) => orgUid)
  assert.deepEqual(await organizations(), [service.orgUid])
  const accepted = await cyd.call('POST', `/api/invitation/${uid}`, { accept: true })
  assert.equal(accepted.status, 200, accepted.text)
  assert.deepEqual(await organizations(), [service.orgUid, otherOrg])
})

test('the invited person sees the invitation, accepts, is a member, and leaves again', async () => {
  const dan = await addPerson('dan', 'GUEST')
  const uid = await invite(stranger, 'dan@example.com', 'GUEST')
  const { body } = await dan.call('GET', '/api/invitation')
  assert.equal(body.totalCount, 1)
  const [invitation] = body.invitation
  assert.deepEqual(invitation.organization, { uid: otherOrg, name: 'Strangers' })
  assert.deepEqual([invitation.uid, invitation.role], [uid, 'GUEST'])
  const accept = () => dan.call('POST', `/api/invitation/${uid}`, { accept: true })
  assert.equal((await accept()).status, 200)
  assert.equal((await accept()).status, 404)
  assert.equal((await dan.call('GET', '/api/invitation')).body.totalCount, 0)
  const inOther = caller(
    service,
    `${await signIn(service, 'dan@example.com', PASSWORD)}; org=${otherOrg}`,
  )
  const member = (await stranger('GET', `/api/org_user/${dan.uid}`)).body.org_user
  assert.deepEqual([member.status, member.lastName], ['MEMBER', 'Secretive'])
  assert.equal((await inOther('GET', '/api/organization')).status, 200)
  const other = (await stranger('GET', '/api/org_user')).body.org_user[0]
  assert.equal((await inOther('DELETE', `/api/org_user/${other.uid}`)).status, 403)
  assert.equal((await inOther('DELETE', `/api/org_user/${dan.uid}`)).status, 200)
  assert.equal((await inOther('GET', '/api/organization')).status, 404)
  assert.equal((await dan.call('GET', '/api/organization')).status, 200)
  assert.equal((await stranger('GET', `/api/org_user/${dan.uid}`)).status, 404)
  const acts = (await actsIn(stranger)).map(({ act }) => act)
  for (const act of ['user_invited', 'user_added', 'user_left']) assert.ok(acts.includes(act), act)
})

test('the last OWNER cannot leave, and leaving the only organization ends the account', async () => {
  const { org_user } = (await stranger('GET', '/api/org_user')).body
  const self = org_user.find((one: { email: string }) => one.email === 'stranger@example.com')
  const kept = await stranger('DELETE', `/api/org_user/${self.uid}`)
  assert.equal(kept.status, 409, kept.text)
  const eve = await addPerson('eve')
  const uid = await invite(stranger, 'eve@example.com')
  assert.equal((await eve.call('DELETE', `/api/org_user/${eve.uid}`)).status, 200)
  assert.equal((await eve.call('GET', '/api/organization')).status, 401)
  assert.equal((await stranger('GET', `/api/org_user/${uid}`)).status, 404)
})

test('an invitation is declined, withdrawn, or over after a month, and reveals nothing then', async () => {
  const fay = await addPerson('fay')
  const declined = await invite(stranger, 'fay@example.com')
  const again = { org_user: { email: 'fay@example.com' } }
  assert.equal((await stranger('PUT', '/api/org_user', again)).status, 409)
  assert.equal(
    (await fay.call('POST', `/api/invitation/${declined}`, { accept: false })).status,
    200,
  )
  const [entry] = await actsIn(stranger)
  assert.deepEqual(
    [entry.act, entry.actor, entry.address],
    ['invitation_declined', `invitation:${declined}`, ''],
  )
  const withdrawn = await invite(stranger, 'fay@example.com')
  assert.equal((await stranger('DELETE', `/api/org_user/${withdrawn}`)).status, 200)
  const answer = { accept: true }
  assert.equal((await fay.call('POST', `/api/invitation/${withdrawn}`, answer)).status, 404)
  const late = await invite(stranger, 'fay@example.com')
  clock.advance(31 * 86_400_000)
  const call = caller(service, await signIn(service, 'fay@example.com', PASSWORD))
  assert.equal((await call('POST', `/api/invitation/${late}`, answer)).status, 404)
  stranger = caller(service, await signIn(service, 'stranger@example.com', PASSWORD))
  owner = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
  const listed = (await stranger('GET', '/api/org_user')).body
  assert.ok(listed.org_user.every((one: { status: string }) => one.status === 'MEMBER'))
  assert.equal(listed.totalCount, listed.org_user.length, 'what is over is not counted')
  assert.equal((await call('GET', '/api/invitation')).body.totalCount, 0)
  assert.equal((await call('GET', '/api/session')).body.totalCount, 1)
  await invite(stranger, 'fay@example.com')
})

test('an invitation is answered by the invited person alone', async () => {
  const gus = await addPerson('gus')
  const hal = await addPerson('hal')
  const uid = await invite(stranger, 'gus@example.com')
  const path = `/api/invitation/${uid}`
  assert.equal((await hal.call('POST', path, { accept: true })).status, 404)
  assert.equal((await stranger('POST', path, { accept: true })).status, 404)
  const capabilities = [{ resource: '*', methods: ['GET', 'PUT', 'POST', 'DELETE'] }]
  const key = await owner('PUT', '/api/api_key', { api_key: { name: 'k', capabilities } })
  const byKey = caller(service, `api_key=${key.body.api_key.secretKey}`)
  assert.equal((await byKey('POST', path, { accept: true })).status, 403)
  assert.equal((await byKey('GET', '/api/invitation')).status, 403)
  assert.equal((await gus.call('POST', path, { accept: 'yes' })).status, 400)
  assert.equal((await gus.call('POST', path, { accept: true })).status, 200)
})

test('an organization that is deleted takes its invitations along', async () => {
  const ida = await addPerson('ida')
  const made = await stranger('PUT', '/api/organization', { organization: { name: 'Brief' } })
  const { uid: org } = made.body.organization
  const session = await signIn(service, 'stranger@example.com', PASSWORD)
  const proof = { 'Weir-Password': PASSWORD }
  const inBrief = caller(service, `${session}; org=${org}`, proof)
  const uid = await invite(inBrief, 'ida@example.com')
  assert.equal((await inBrief('DELETE', `/api/organization/${org}`)).status, 200)
  assert.equal((await ida.call('GET', '/api/invitation')).body.totalCount, 0)
  assert.equal((await ida.call('POST', `/api/invitation/${uid}`, { accept: true })).status, 404)
})
