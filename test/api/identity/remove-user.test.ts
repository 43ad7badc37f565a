/** Removing a user who is busy changing their own record. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { caller, signIn } from '../../support/caller.ts'
import { ownerOfFile, serviceOfFile } from '../../support/service-of-file.ts'

const PASSWORD = 'the first long sentence'
const PEOPLE = 8
const WRITES = 12

const service = serviceOfFile()
const owner = ownerOfFile(service)

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
