import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pauseBetweenRuns } from './last-contacts.ts'

test('last contacts of few devices are kept every two seconds, those of very many every minute', () => {
  assert.equal(pauseBetweenRuns(0), 2_000)
  assert.equal(pauseBetweenRuns(4_000), 2_000)
  assert.equal(pauseBetweenRuns(100_000), 50_000)
  assert.equal(pauseBetweenRuns(10_000_000), 60_000)
})
