/** Removing a user who is busy changing their own record. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Call, caller, signIn } from '../../support/caller.ts'
import { type Service, startService } from '../../support/service.ts'

const PASSWORD = 'the first long sentence'
const PEOPLE = 8
const WRITES = 12

let service: Service
let owner: Call
before(async () => {
  service = await startService()
  owner = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
})
after(() => service.close())

test('a user who writes their own record meanwhile is removed all the same', async () => {
  for (let person = 0; person < PEOPLE; person += 1) {
    const email = `busy${person}@example.com`
    const org_user = { email, role: 'MEMBER', password: PASSWORD }
    const { uid } = (await owner('PUT', '/api/org_user', { org_user })).body.org_user
    const busy = caller(service, await signIn(service, email, PASSWORD))
    const writing = Array.from({ length: WRITES }, (_, at) =>
      busy('POST', `/api/org_user/${uid}`, { org_user: { firstName: `name ${at}` } }),
    )
    const removed = await owner('DELETE', `/api/org_user/${uid}`)
    assert.equal(removed.status, 200, removed.text)
    await Promise.all(writing)
    assert.equal((await owner('GET', `/api/org_user/${uid}`)).status, 404)
  }
})
