/** What an operator closes: who changes connections, and where they lead. */
import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { test } from 'node:test'
import { type Call, caller, signIn } from '../../support/caller.ts'
import { serviceOfFile } from '../../support/service-of-file.ts'

const PASSWORD = 'correct horse battery'
const fields = {
  name: 'Plant',
  kind: 'POSTGRESQL',
  host: 'db.example.com',
  database: 'plant',
  user: 'reader',
  password: 'a-password',
}

const service = serviceOfFile()

const signedIn = async (email: string, password: string): Promise<Call> =>
  caller(service, await signIn(service, email, password))
const owner = () => signedIn(service.ownerEmail, service.ownerPassword)

test('WEIR_CONNECTION_ROLE: members change connections unless it says ADMIN', async () => {
  const call = await owner()
  for (const role of ['MEMBER', 'ADMIN']) {
    const user = { email: `${role.toLowerCase()}@weir.example`, password: PASSWORD, role }
    const added = await call('PUT', '/api/org_user', { org_user: user })
    assert.equal(added.status, 200, added.text)
  }
  const asMember = await signedIn('member@weir.example', PASSWORD)
  const made = await asMember('PUT', '/api/connection', { connection: fields })
  assert.equal(made.status, 200, made.text)
  const path = `/api/connection/${made.body.connection.uid}`

  await service.restart({ WEIR_CONNECTION_ROLE: 'ADMIN' })
  const member = await signedIn('member@weir.example', PASSWORD)
  const calls = [
    ['PUT', '/api/connection', { connection: fields }],
    ['POST', path, { connection: { name: 'Mill' } }],
    ['DELETE', path, undefined],
  ] as const
  for (const [method, target, body] of calls) {
    const refused = await member(method, target, body)
    assert.equal(refused.status, 403, `${method}: ${refused.text}`)
    assert.match(
      refused.text,
      /Only administrators can change connections \(WEIR_CONNECTION_ROLE\)/,
    )
  }
  assert.equal((await member('GET', path)).body.connection.name, 'Plant')
  const admin = await signedIn('admin@weir.example', PASSWORD)
  for (const [method, target, body] of calls) {
    const done = await admin(method, target, body)
    assert.equal(done.status, 200, `${method}: ${done.text}`)
  }
})

test('a connection leads to no address of this machine, and to none that WEIR_OUTBOUND_DENY lists', async () => {
  const tried = async (host: string) => {
    const call = await owner()
    const made = await call('PUT', '/api/connection', { connection: { ...fields, host, port: 1 } })
    const { body } = await call('POST', `/api/connection/${made.body.connection.uid}/test`)
    return body.test as { reason: string; message: string }
  }
  const own = Object.values(networkInterfaces())
    .flatMap((interfaces) => interfaces ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address
  if (own !== undefined) {
    const { reason, message } = await tried(own)
    assert.equal(reason, 'not_allowed', message)
    assert.match(message, /an address of this machine\. .* WEIR_OUTBOUND_ALLOW/)
    await service.restart({ WEIR_OUTBOUND_ALLOW: own })
    assert.equal((await tried(own)).reason, 'refused')
  }
  await service.restart({
    WEIR_OUTBOUND_ALLOW: '127.0.0.1',
    WEIR_OUTBOUND_DENY: '127.0.0.0/8,10.0.0.0/8',
  })
  for (const host of ['127.0.0.1', '10.1.2.3']) {
    const { reason, message } = await tried(host)
    assert.equal(reason, 'not_allowed', message)
    assert.match(message, /WEIR_OUTBOUND_DENY/)
  }
})
