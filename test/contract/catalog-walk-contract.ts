import assert from 'node:assert/strict'
import type { CatalogStore, PutDocument } from '../../src/store/index.ts'
import { compareUtf8 } from './catalog-store-model.ts'

const KIND = { orgUid: 'org', kind: 'board' }

function put(uid: string, listKey: string): PutDocument {
  return { op: 'put', ...KIND, uid, listKey, body: { name: uid }, expectedRevision: 0 }
}

/** What the port promises of walks. */
export function walkCases(
  check: (name: string, run: (store: CatalogStore) => Promise<void>) => void,
): void {
  check(
    'walk() goes on behind what it had, whatever is made and deleted meanwhile',
    async (store) => {
      // Some share a list key, more than a step holds; some are alike in more than an index has.
      const long = 'x'.repeat(600)
      const names = [
        'b',
        'a',
        'a',
        'a',
        'a',
        'ä',
        '\u{1F600}',
        '\uFF5E',
        `${long}2`,
        `${long}1`,
        long,
      ]
      const made = names.map((listKey, index) => put(`u${index}`, listKey))
      await store.commit(made)
      const step = (after?: string) => store.walk({ ...KIND, after, limit: 3 })
      const first = await step()
      const seen = first.documents.map(({ uid }) => uid)
      assert.equal(seen.length, 3)
      await store.commit([
        { op: 'delete', ...KIND, uid: seen[0], expectedRevision: 'any' },
        put('made', 'c'),
      ])
      for (let { next } = first; next !== undefined; ) {
        const more = await step(next)
        seen.push(...more.documents.map(({ uid }) => uid))
        next = more.next
      }
      const byKey = (a: PutDocument, b: PutDocument) =>
        compareUtf8(a.listKey ?? '', b.listKey ?? '') || compareUtf8(a.uid, b.uid)
      const all = [...made, put('made', 'c')].sort(byKey)
      assert.deepEqual(
        seen,
        all.map(({ uid }) => uid),
      )
      assert.deepEqual(await store.walk({ orgUid: 'nobody', kind: 'board', limit: 3 }), {
        documents: [],
      })
    },
  )

  check('walk() goes down between two list keys, whatever is made meanwhile', async (store) => {
    const ofKind = { orgUid: 'org', kind: 'audit' }
    const make = (uid: string, listKey: string): PutDocument => {
      return { op: 'put', ...ofKind, uid, listKey, body: { uid }, expectedRevision: 0 }
    }
    const keys = ['1', '2', '2', '2', '3', '4', '5']
    await store.commit(keys.map((listKey, index) => make(`u${index}`, listKey)))
    const down = { from: '2', until: '5' }
    const step = (after?: string) => store.walk({ ...ofKind, after, limit: 2, down })
    const seen: string[] = []
    for (let next: string | undefined, isFirst = true; isFirst || next !== undefined; ) {
      const found = await step(next)
      seen.push(...found.documents.map(({ uid }) => uid))
      if (isFirst) await store.commit([make('newer', '4x')])
      isFirst = false
      next = found.next
    }
    assert.deepEqual(seen, ['u5', 'u4', 'u3', 'u2', 'u1'])
    const none = { from: '6', until: '7' }
    assert.deepEqual(await store.walk({ ...ofKind, limit: 2, down: none }), { documents: [] })
  })
}
