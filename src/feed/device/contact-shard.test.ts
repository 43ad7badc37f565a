import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newComponentUid, newUid } from '../../base/index.ts'
import { packContacts, unpackContacts } from './contact-shard.ts'

test('contacts are unpacked as they were packed, in some 25 bytes each', () => {
  const times = [1_700_000_000_000, 1_699_999_999_999, 0, 1_700_000_000_000, -5]
  for (const ours of [0, 2, times.length]) {
    const contacts = times.map((at, place) => {
      return { uid: place < ours ? newComponentUid() : newUid(), at }
    })
    const json = JSON.stringify(packContacts(contacts))
    assert.deepEqual(unpackContacts(JSON.parse(json)), contacts)
  }
  assert.deepEqual(unpackContacts(packContacts([])), [])
  const many = Array.from({ length: 400 }, (_, place) => {
    return { uid: newComponentUid(), at: 1_700_000_000_000 + place * 1_000 }
  })
  assert.ok(JSON.stringify(packContacts(many)).length < 400 * 26)
})

test('contacts of catalogs of format 10 are read', () => {
  const uid = newUid()
  assert.deepEqual(unpackContacts({ contacts: { [uid]: 7 } }), [{ uid, at: 7 }])
})
