import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type OAuthService, startOAuthService } from '../../support/oauth-service.ts'

let home: OAuthService
let cookie: Record<string, string>
before(async () => {
  home = await startOAuthService()
  cookie = { Cookie: `session=${await home.session()}` }
})
after(() => home[Symbol.asyncDispose]())

const password = 'a long enough sentence'

/** A person with a role, and a caller with a token that the person lent. */
async function lend(role: string, scope?: string) {
  const email = `${role}-${scope ?? 'all'}@example.com`.replaceAll(/[ :]/g, '.').toLowerCase()
  const proof = { 'Weir-Password': home.owner.password }
  const org_user = { email, password, role }
  const made = await home.send('PUT', '/api/org_user', { org_user }, { ...cookie, ...proof })
  assert.equal(made.status, 200, JSON.stringify(made.body))
  const { access_token } = await home.tokens({ email, password, scope })
  const bearer = { Authorization: `Bearer ${access_token}` }
  const path = `/api/org_user/${made.body.org_user.uid}`
  const call = (method: string, fields?: object, currentPassword?: string) =>
    home.send(method, path, fields && { org_user: fields, currentPassword }, bearer)
  return { email, call }
}

for (const role of ['OWNER', 'GUEST']) {
  test(`a token changes the names of its user (${role}), e-mail and password with the password`, async () => {
    const { email, call } = await lend(role)
    assert.equal((await call('POST', { firstName: 'Eve' })).status, 200)
    for (const fields of [{ email: `new.${email}` }, { password: `other ${password}` }]) {
      const without = await call('POST', fields)
      assert.deepEqual([without.status, without.body.code], [401, 'reauthenticate'])
      assert.equal((await call('POST', fields, 'not the password')).status, 401)
      assert.equal((await call('POST', fields, password)).status, 200)
    }
    await home.session({ email: `new.${email}`, password: `other ${password}` })
    assert.equal((await call('GET')).status, 401, 'a new password ends what was lent')
  })

  test(`a token without the scope for it is refused by its user's record (${role})`, async () => {
    const { call } = await lend(role, 'feed:read feed:write')
    const answers = [
      await call('GET'),
      await call('POST', { firstName: 'Eve' }),
      await call('POST', { password: `other ${password}` }, password),
      await call('DELETE'),
    ]
    for (const { status, body, headers } of answers) {
      assert.deepEqual([status, body.code], [403, 'insufficient_scope'])
      assert.match(headers.get('www-authenticate') ?? '', /error="insufficient_scope"/)
    }
  })
}
