import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type Call, caller, signIn } from '../../support/caller.ts'
import { serviceOfFile } from '../../support/service-of-file.ts'

const service = serviceOfFile()
let owner: Call
before(async () => {
  const session = await signIn(service, service.ownerEmail, service.ownerPassword)
  owner = caller(service, session, { 'Weir-Password': service.ownerPassword })
})

const password = 'a long enough sentence'
const unseen = [
  'a\u0000@example.com',
  'a\u0001@example.com',
  'a\u007f@example.com',
  'a@exam\u0085ple.com',
  'a\u202e@example.com',
  'a\u200b@example.com',
  'a\u2066@example.com',
  'a\u00ad@example.com',
  'a\u115f@example.com',
  'a\ufe0f@example.com',
  'a\ud800@example.com',
  'a@example.com\u200e',
  '\uff41\uff42@example.com',
  '\ufb00@example.com',
  'a\uff20b@example.com',
]

test('an address with characters that do not show, or that look like others, is not taken', async () => {
  const made = await owner('PUT', '/api/org_user', {
    org_user: { email: 'b@example.com', password },
  })
  const path = `/api/org_user/${made.body.org_user.uid}`
  for (const email of unseen) {
    const answers = [
      await owner('PUT', '/api/org_user', { org_user: { email, password } }),
      await owner('POST', path, { org_user: { email } }),
    ]
    for (const { status, body } of answers) {
      assert.deepEqual([status, body.code], [400, 'bad_input'], JSON.stringify(email))
      assert.match(body.message, /^org_user\.email must be an email address/)
    }
  }
  for (const email of [
    'jörg@example.com',
    '李@例え.jp',
    'a+b_c.d@xn--r8jz45g.jp',
    'o’neil@example.com',
  ]) {
    const { status, text } = await owner('PUT', '/api/org_user', { org_user: { email, password } })
    assert.equal(status, 200, text)
  }
})

test('an account that has such an address signs in, and its record can be sent back', async () => {
  const email = 'old\u200b\u202e@example.com'
  const { users, hasher } = service.app.identity
  const memberships = [{ orgUid: service.orgUid, role: 'MEMBER' as const }]
  const names = { email, firstName: '', lastName: '', timeZone: 'UTC', memberships }
  const { user } = await users.insert({ ...names, passwordHash: await hasher.hash(password) })
  await signIn(service, email, password)
  const org_user = { email, firstName: 'Old' }
  const { status, text, body } = await owner('POST', `/api/org_user/${user.uid}`, { org_user })
  assert.equal(status, 200, text)
  assert.deepEqual([body.org_user.email, body.org_user.firstName], [email, 'Old'])
})
