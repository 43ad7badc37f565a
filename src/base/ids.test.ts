import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newOrderedUid } from './ids.ts'

test('ordered UIDs are UUIDs of version 7 that sort as they were made, however many at once', () => {
  const before = Date.now()
  const uids = Array.from({ length: 20_000 }, () => newOrderedUid())
  for (const [at, uid] of uids.entries()) {
    assert.match(uid, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    if (at > 0) assert.ok(uids[at - 1] < uid, `${uids[at - 1]} ${uid}`)
  }
  const madeAtMs = Number.parseInt(uids[0].replace('-', '').slice(0, 12), 16)
  assert.ok(madeAtMs >= before)
})
