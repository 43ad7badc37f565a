import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OAuthError } from './oauth-error.ts'
import { readParams, requireParam } from './oauth-params.ts'

const KNOWN = ['code', 'state', 'client_id']
const FORM = 'application/x-www-form-urlencoded'

function read(query: string, contentType = '', body = ''): Record<string, string> {
  return Object.fromEntries(readParams({ query, contentType, body }, KNOWN))
}

test('readParams() reads the URL, a form and JSON alike', () => {
  const expected = { code: 'a b', state: 'ü' }
  assert.deepEqual(read('code=a+b&state=%C3%BC&_=1'), expected)
  assert.deepEqual(read('', FORM, 'code=a%20b&state=%C3%BC'), expected)
  assert.deepEqual(read('', `${FORM}; charset=utf-8`, 'code=a+b&state=%C3%BC'), expected)
  assert.deepEqual(read('', 'application/json', '{"code":"a b","state":"ü"}'), expected)
  assert.deepEqual(read('state=%C3%BC', FORM, 'code=a+b'), expected)
  assert.deepEqual(read('', '', '{"code":"7","state":null,"other":[1]}'), { code: '7' })
})

test('readParams() treats an empty value as omitted and an empty body as none', () => {
  assert.deepEqual(read('code=&state=x'), { state: 'x' })
  assert.deepEqual(read('', 'application/json', '  '), {})
})

test('readParams() refuses a repeated parameter wherever it is repeated', () => {
  const check = (...given: Parameters<typeof read>) =>
    assert.throws(
      () => read(...given),
      (error: unknown) =>
        error instanceof OAuthError &&
        error.error === 'invalid_request' &&
        /code is given more than once/.test(error.message),
    )
  check('code=1&code=1')
  check('', FORM, 'code=1&code=2')
  check('code=1', FORM, 'code=1')
  check('code=1', 'application/json', '{"code":"1"}')
})

test('readParams() refuses what it cannot read', () => {
  const check = (expected: RegExp, ...given: Parameters<typeof read>) =>
    assert.throws(() => read(...given), expected)
  check(/not JSON/, '', 'application/json', '{')
  check(/one JSON object/, '', 'application/json', '[1]')
  check(/code must be one string/, '', 'application/json', '{"code":["a","b"]}')
  check(/code must be one string/, '', 'application/json', '{"code":7}')
  check(/code must be one string/, '', 'application/json', '{"code":true}')
  check(/must be application/, '', 'multipart/form-data; boundary=x', '--x')
  check(/more than 4096/, `code=${'x'.repeat(4_097)}`)
})

test('requireParam() names what is missing', () => {
  assert.throws(() => requireParam(new Map(), 'code'), /code is missing/)
})
