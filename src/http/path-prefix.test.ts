import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pathPrefixOf, withoutPrefix } from './path-prefix.ts'

test('pathPrefixOf() is the path of the public URL', () => {
  assert.equal(pathPrefixOf(undefined), '')
  assert.equal(pathPrefixOf('https://example.com'), '')
  assert.equal(pathPrefixOf('https://example.com/a/weir'), '/a/weir')
})

test('withoutPrefix() takes whole segments away, once', () => {
  const cases = [
    ['/weir/api/feed?x=/weir', '/api/feed?x=/weir'],
    ['/weir', '/'],
    ['/weir?a=1', '/?a=1'],
    ['/weir/', '/'],
    ['/weird/api', '/weird/api'],
    ['/api/weir/feed', '/api/weir/feed'],
    ['/weir/weir/c', '/weir/c'],
  ]
  for (const [url, expected] of cases) assert.equal(withoutPrefix(url, '/weir'), expected)
  assert.equal(withoutPrefix('/weir/c', ''), '/weir/c')
})
