import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countCopies } from './cluster-settings.ts'

test('countCopies adds up the copies of a keyspace, whichever strategy places them', () => {
  const simple = 'org.apache.cassandra.locator.SimpleStrategy'
  const byCentre = 'org.apache.cassandra.locator.NetworkTopologyStrategy'
  assert.equal(countCopies({ class: simple, replication_factor: '1' }), 1)
  assert.equal(countCopies({ class: byCentre, dc1: '3' }), 3)
  assert.equal(countCopies({ class: byCentre, dc1: '2', dc2: '1' }), 3)
  assert.equal(countCopies({ class: byCentre, dc1: '3/1' }), 3)
})
