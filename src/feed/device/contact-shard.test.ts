import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newComponentUid, newUid } from '../../base/index.ts'
import { packContacts, unpackContacts } from './contact-shard.ts'

test('contacts are unpacked as they were packed, in some 30 bytes each', () => {
  const times = [1_700_000_000_000, 1_699_999_999_999, 0, 1_700_000_000_000, -5]
  const contacts = times.map((at, place) => {
    return { uid: place % 2 === 0 ? newComponentUid() : newUid(), at }
  })
  const json = JSON.stringify(packContacts(contacts))
  assert.deepEqual(unpackContacts(JSON.parse(json)), contacts)
  assert.deepEqual(unpackContacts(packContacts([])), [])
  const many = Array.from({ length: 400 }, (_, place) => {
    return { uid: newUid(), at: 1_700_000_000_000 + place * 1_000 }
  })
  assert.ok(JSON.stringify(packContacts(many)).length < 400 * 30)
})

test('contacts of catalogs of format 10 are read', () => {
  const uid = newUid()
  assert.deepEqual(unpackContacts({ contacts: { [uid]: 7 } }), [{ uid, at: 7 }])
})
