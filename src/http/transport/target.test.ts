import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pathOf, queryOf } from './target.ts'

test('pathOf() and queryOf() part a target at its first question mark', () => {
  const check = (target: string, path: string, query: string) =>
    assert.deepEqual([pathOf(target), queryOf(target)], [path, query])
  check('/api/feed', '/api/feed', '')
  check('/api/feed?&a=1?2', '/api/feed', '&a=1?2')
  check('?', '', '')
})
