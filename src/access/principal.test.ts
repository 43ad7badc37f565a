import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '../base/index.ts'
import { Capabilities, type Method } from './capability.ts'
import {
  allows,
  feedCoverage,
  isAdministrator,
  keyPrincipal,
  type Role,
  requirePermit,
  tokenPrincipal,
  userPrincipal,
} from './principal.ts'

const user = (role: Role, scope?: Capabilities) =>
  scope === undefined
    ? userPrincipal({ orgUid: 'o1', userUid: 'u1', role })
    : tokenPrincipal({ orgUid: 'o1', userUid: 'u1', role }, scope)
const key = (resource: string, methods: readonly Method[]) =>
  keyPrincipal({
    orgUid: 'o1',
    keyUid: 'k1',
    capabilities: new Capabilities([{ resource, methods }]),
  })

test('allows() follows the role of a user', () => {
  const check = (role: Role, method: Method, resource: string, expected: boolean) =>
    assert.equal(allows(user(role), resource, method), expected, `${role} ${method} ${resource}`)
  check('OWNER', 'DELETE', 'api_key/k1', true)
  check('ADMIN', 'POST', 'org_user/u2', true)
  check('MEMBER', 'PUT', 'component', true)
  check('MEMBER', 'DELETE', 'component/c1/stream/s1/feed', true)
  check('MEMBER', 'GET', 'organization/o1', true)
  check('MEMBER', 'POST', 'organization/o1', false)
  check('MEMBER', 'PUT', 'org_user', false)
  check('MEMBER', 'GET', 'api_key', false)
  check('MEMBER', 'GET', 'audit', false)
  check('MEMBER', 'POST', 'storage/scrub', false)
  check('GUEST', 'GET', 'storage', false)
  check('GUEST', 'GET', 'component/c1/feed', true)
  check('GUEST', 'PUT', 'component/c1/feed', false)
  check('GUEST', 'POST', 'component/c1/property', false)
  check('GUEST', 'GET', 'api_key', false)
})

test('allows() narrows to the scope and never widens by it', () => {
  const scope = new Capabilities([{ resource: 'component/*/feed', methods: ['GET', 'PUT'] }])
  assert.equal(allows(user('OWNER', scope), 'component/c1/feed', 'GET'), true)
  assert.equal(allows(user('OWNER', scope), 'unit', 'GET'), false)
  assert.equal(allows(user('GUEST', scope), 'component/c1/feed', 'PUT'), false)
  assert.equal(feedCoverage(user('OWNER', scope), 'c1', 'PUT'), 'all')
  assert.equal(feedCoverage(user('OWNER', scope), 'c1', 'DELETE'), 'none')
  assert.equal(feedCoverage(user('GUEST', scope), 'c1', 'PUT'), 'none')
})

test('requirePermit() refuses with forbidden and names resource and method', () => {
  const refused = (error: unknown) =>
    error instanceof Refusal &&
    error.status === 403 &&
    error.message.includes('PUT on component/c1/feed')
  assert.throws(
    () => requirePermit(key('component/*/feed', ['GET']), 'component/c1/feed', 'PUT'),
    refused,
  )
  requirePermit(key('component/*/feed', ['GET']), 'component/c1/feed', 'GET')
})

test('isAdministrator() is true for owners and admins only', () => {
  assert.equal(isAdministrator(user('OWNER')), true)
  assert.equal(isAdministrator(user('ADMIN')), true)
  assert.equal(isAdministrator(user('MEMBER')), false)
  assert.equal(isAdministrator(key('*', ['GET', 'POST', 'PUT', 'DELETE'])), false)
})
