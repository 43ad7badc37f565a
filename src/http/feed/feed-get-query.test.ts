import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal, readQueryPairs } from '../../base/index.ts'
import { readFeedQuery } from './feed-get-query.ts'

function refused(read: () => unknown): string {
  try {
    read()
  } catch (error) {
    if (error instanceof Refusal && error.status === 400) return error.message
    throw error
  }
  return 'accepted'
}

test('readFeedQuery() reads range, limit and flags', () => {
  const read = (query: string) => readFeedQuery(readQueryPairs(query))
  const range = (query: string) => {
    const { from, until, limit } = read(query)
    return [from, until, limit]
  }
  assert.deepEqual(range(''), [undefined, undefined, 1_000])
  assert.deepEqual(range('sd=-5&ed=1.7e12&limit=7'), [-5, 1_700_000_000_000, 7])
  assert.deepEqual(range('ed=5&limit=1001'), [undefined, 5, 1_000])
  assert.deepEqual(range('sd=5&ed=5'), [5, 5, 1_000])
  const flags = 'retCompId&retStreamId=true&retFData=false&retUnit=0&retIntvlSd=1'
  assert.deepEqual(read(flags).fields, {
    compId: true,
    streamId: true,
    fData: false,
    unit: false,
    sdTime: true,
  })
  const check = (query: string, expected: RegExp) =>
    assert.match(
      refused(() => read(query)),
      expected,
      query,
    )
  check('sd=5', /"sd" also needs "ed"/)
  check('sd=6&ed=5', /must not be after/)
  check('limit=0', /"limit" must be an integer of at least 1/)
  check('limit=-1', /"limit" must be/)
  check('limit=x', /"limit" must be/)
  check(`limit=${'1'.repeat(200_000)}x`, /"limit" must be an integer.*, got "1{60}"$/)
  check('limit=', /"limit" must be/)
  check('sd=x&ed=5', /"sd" must be integer epoch milliseconds, or RFC 3339 as in .*, got "x"/)
  check('ed=1.5', /"ed" must be/)
})
