import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CatalogDocument } from '../../store/index.ts'
import { DocumentCache } from './document-cache.ts'

function documentOf(uid: string, revision = 1): CatalogDocument {
  const plain = { orgUid: 'o', kind: 'k', parentUid: '', listKey: '', expiresAtMs: undefined }
  return { ...plain, uid, revision, body: {} }
}
const key = (uid: string) => ({ orgUid: 'o', kind: 'k', uid })

test('DocumentCache keeps what is used, forgets what is not, and never grows beyond its bound', () => {
  const cache = new DocumentCache(10)
  for (let number = 0; number < 100; number++) {
    cache.put(documentOf(`u${number}`))
    assert.notEqual(cache.get(key('u0')), undefined)
  }
  const kept = Array.from({ length: 100 }, (_, number) => cache.get(key(`u${number}`)))
  assert.ok(kept.filter((one) => one !== undefined).length <= 10)
  assert.notEqual(cache.get(key('u99')), undefined)
})

test('DocumentCache keeps the newest revision and lets go of what is deleted', () => {
  const cache = new DocumentCache(10)
  cache.put(documentOf('u', 2))
  cache.put(documentOf('u', 1))
  assert.equal(cache.get(key('u'))?.revision, 2)
  cache.delete(key('u'))
  assert.equal(cache.get(key('u')), undefined)
})
