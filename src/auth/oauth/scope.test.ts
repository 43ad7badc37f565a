import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Method } from '../../access/index.ts'
import { scopeCapabilities } from './bearer.ts'
import { grantedScopes, SCOPES, saysTheSame, scopesOf } from './scope.ts'

test('grantedScopes() narrows by known words, ignores others, and gives all when none is known', () => {
  assert.deepEqual(grantedScopes('feed:read'), ['feed:read'])
  assert.deepEqual(grantedScopes('openid admin  feed:read'), ['feed:read', 'admin'])
  assert.deepEqual(grantedScopes('openid'), SCOPES)
  assert.deepEqual(grantedScopes(undefined), SCOPES)
  assert.deepEqual(scopesOf('feed:read admin'), ['feed:read', 'admin'])
})

test('saysTheSame() decides whether an answer must repeat the scope', () => {
  assert.equal(saysTheSame(undefined, SCOPES), true)
  assert.equal(saysTheSame('admin feed:read', ['feed:read', 'admin']), true)
  assert.equal(saysTheSame('feed:read openid', ['feed:read']), false)
  assert.equal(saysTheSame('openid', SCOPES), false)
})

test('scopeCapabilities() leaves of the user rights what the words say', () => {
  const check = (scope: string, method: Method, resource: string, expected: boolean) =>
    assert.equal(
      scopeCapabilities(scopesOf(scope))?.gives(resource, method),
      expected,
      `${scope}: ${method} ${resource}`,
    )
  check('feed:read', 'GET', 'component/c1/feed', true)
  check('feed:read', 'GET', 'component/c1/stream/s1/feed', true)
  check('feed:read', 'GET', 'component/c1/property', true)
  check('feed:read', 'PUT', 'component/c1/feed', false)
  check('feed:read', 'GET', 'api_key', false)
  check('feed:read', 'GET', 'component', false)
  check('feed:write', 'PUT', 'component/*/feed', true)
  check('feed:write', 'POST', 'component/c1/property', true)
  check('feed:write', 'GET', 'component/c1/feed', false)
  check('admin', 'PUT', 'api_key', true)
  check('admin', 'DELETE', 'component/c1', true)
  check('admin', 'GET', 'component/c1/feed', false)
  check('feed:read admin', 'GET', 'component/c1/feed', true)
  assert.equal(scopeCapabilities(SCOPES), undefined)
})
