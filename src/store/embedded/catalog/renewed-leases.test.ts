import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RenewedLeases } from './renewed-leases.ts'

const lease = { name: 'job', holder: 'one', fence: 7 }

test('renew() extends a lease for its holder without the database, until it ends', () => {
  const leases = new RenewedLeases()
  assert.equal(leases.renew('job', { holder: 'one', nowMs: 0, ttlMs: 1_000 }), undefined)
  leases.note(lease, 1_000)
  assert.deepEqual(leases.renew('job', { holder: 'one', nowMs: 900, ttlMs: 1_000 }), lease)
  assert.equal(leases.renew('job', { holder: 'two', nowMs: 901, ttlMs: 1_000 }), undefined)
  assert.equal(leases.holderAt('job', { nowMs: 1_899, ttlMs: 1_000 }), 'one')
  assert.equal(leases.holderAt('job', { nowMs: 1_900, ttlMs: 1_000 }), undefined)
  assert.equal(leases.renew('job', { holder: 'one', nowMs: 1_900, ttlMs: 1_000 }), undefined)
})

test('drop() forgets the lease that is released, and no later one of the same name', () => {
  const leases = new RenewedLeases()
  leases.note({ ...lease, fence: 8 }, 1_000)
  leases.drop(lease)
  assert.equal(leases.holderAt('job', { nowMs: 1, ttlMs: 1_000 }), 'one')
  leases.drop({ ...lease, fence: 8 })
  assert.equal(leases.holderAt('job', { nowMs: 1, ttlMs: 1_000 }), undefined)
})
