import assert from 'node:assert/strict'
import { CatalogConflict, type CatalogStore, type PutDocument } from '../../src/store/index.ts'
import type { CatalogStoreHome } from './catalog-store-home.ts'

const key = (uid: string) => ({ orgUid: 'org', kind: 'board', uid })
const put = (uid: string): PutDocument => {
  return { op: 'put', ...key(uid), body: { name: uid }, expectedRevision: 0 }
}
const isLeaseLost = (error: unknown) =>
  error instanceof CatalogConflict && error.claim === undefined && error.key.uid === 'job'

/** The promises about leases, and about commits under one. */
export function leaseCases(
  check: (
    name: string,
    run: (store: CatalogStore, home: CatalogStoreHome) => Promise<void>,
  ) => void,
): void {
  check(
    'acquireLease() passes over a lease taken while the clock was ahead',
    async (store, home) => {
      home.clock.jump(10 * 365 * 86_400_000)
      const first = await store.acquireLease('job', 'one', 1_000)
      home.clock.jump(-10 * 365 * 86_400_000)
      const second = await store.acquireLease('job', 'two', 1_000)
      assert.equal(second?.fence, (first?.fence ?? 0) + 1)
    },
  )

  check('acquireLease() gives a lease to one holder until it ends', async (store, home) => {
    const first = await store.acquireLease('job', 'one', 1_000)
    assert.ok(first !== undefined)
    assert.equal(await store.acquireLease('job', 'two', 1_000), undefined)
    assert.notEqual(await store.acquireLease('other', 'two', 1_000), undefined)
    home.clock.advance(900)
    assert.deepEqual(await store.acquireLease('job', 'one', 1_000), first)
    home.clock.advance(999)
    assert.equal(await store.acquireLease('job', 'two', 1_000), undefined)
    home.clock.advance(1)
    const second = await store.acquireLease('job', 'two', 1_000)
    assert.ok(second !== undefined && second.fence > first.fence)
    await store.releaseLease(first)
    assert.equal(await store.acquireLease('job', 'one', 1_000), undefined)
    await store.releaseLease(second)
    const third = await store.acquireLease('job', 'one', 1_000)
    assert.ok(third !== undefined && third.fence > second.fence)
  })

  check('holderOf() tells who holds a lease, and nobody once it ends', async (store, home) => {
    const other = await home.open()
    const holder = () => other.holderOf('job', 1_000)
    assert.equal(await holder(), undefined)
    const first = await store.acquireLease('job', 'one', 1_000)
    assert.ok(first !== undefined)
    assert.equal(await holder(), 'one')
    assert.equal(await other.holderOf('another', 1_000), undefined)
    await store.releaseLease(first)
    assert.equal(await holder(), undefined)
    await store.acquireLease('job', 'two', 1_000)
    home.clock.advance(999)
    assert.equal(await holder(), 'two')
    home.clock.advance(1)
    assert.equal(await holder(), undefined)
    await store.acquireLease('job', 'three', 1_000)
    home.clock.jump(-10_000)
    assert.equal(await holder(), undefined, 'taken by a clock that was ahead')
    await other.close()
  })

  check('commit() under a lease that another has taken writes nothing', async (store, home) => {
    const first = await store.acquireLease('job', 'one', 1_000)
    await store.commit([put('a')], first)
    home.clock.advance(2_000)
    // Past its time but nobody else's: still the newest of its name.
    await store.commit([put('b')], first)
    const second = await store.acquireLease('job', 'two', 1_000)
    await assert.rejects(store.commit([put('c')], first), isLeaseLost)
    assert.equal(await store.get(key('c')), undefined)
    await store.commit([put('c')], second)
    assert.ok(second !== undefined)
    await store.releaseLease(second)
    await assert.rejects(store.commit([put('d')], second), isLeaseLost)
  })
}
