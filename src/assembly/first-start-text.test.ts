import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CreatedOrganization } from '../auth/administer/index.ts'
import type { Config } from '../base/index.ts'
import { firstStartText } from './first-start-text.ts'

const created = {
  organization: { uid: 'o' },
  owner: { email: 'owner@weir.invalid' },
  password: 'made-password',
  feedKey: 'made-key',
} as unknown as CreatedOrganization

const textFor = (given: object) =>
  firstStartText('http://127.0.0.1:8086', created, given as unknown as Config, true)

test('firstStartText() says that only this machine reaches the service, where that is so', () => {
  for (const host of ['127.0.0.1', '::1', 'localhost'])
    assert.match(textFor({ host }), /Only this machine can connect/)
  assert.doesNotMatch(textFor({ host: '0.0.0.0' }), /Only this machine/)
  assert.doesNotMatch(textFor({ host: '127.0.0.1', publicUrl: 'https://w.invalid' }), /Only this/)
})

test('firstStartText() shows what was made, and nothing that the operator gave', () => {
  const made = textFor({ host: '127.0.0.1' })
  assert.match(made, /Save these/)
  assert.match(made, /made-password/)
  assert.match(made, /X-Api-Key: made-key/)
  const given = textFor({ host: '127.0.0.1', ownerPassword: 'p', feedKey: 'k' })
  assert.doesNotMatch(given, /Save these|made-password|made-key/)
  assert.match(given, /X-Api-Key: \$WEIR_FEED_KEY/)
})
