import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pathOf, pathPrefixOf, queryOf, withoutPrefix, withSingleSlashes } from './target.ts'

test('pathOf() and queryOf() part a target at its first question mark', () => {
  const check = (target: string, path: string, query: string) =>
    assert.deepEqual([pathOf(target), queryOf(target)], [path, query])
  check('/api/feed', '/api/feed', '')
  check('/api/feed?&a=1?2', '/api/feed', '&a=1?2')
  check('?', '', '')
})

test('withSingleSlashes() leaves one slash in front and behind api, and all others', () => {
  const check = (target: string, expected: string) =>
    assert.equal(withSingleSlashes(target), expected)
  check('//api/feed?a=//b', '/api/feed?a=//b')
  check('/api//feed', '/api/feed')
  check('///api///comp//feed', '/api/comp//feed')
  check('//apis//x', '/apis//x')
  check('/api/comp//feed', '/api/comp//feed')
  check('/?//api', '/?//api')
  check('//', '/')
})

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
