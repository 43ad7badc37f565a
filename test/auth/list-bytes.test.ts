/** Lists for administrators hold no more bytes than a page may have, however long their records are. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Capabilities, keyPrincipal } from '../../src/access/index.ts'
import { AuditLog } from '../../src/auth/index.ts'
import { type Grant, listGrants, putGrant } from '../../src/auth/oauth/grant-record.ts'
import type { OAuthBase } from '../../src/auth/oauth/index.ts'
import { createLog } from '../../src/base/index.ts'
import { listPermitted } from '../../src/catalog/index.ts'
import { withCatalog } from '../support/catalog.ts'

const HALF_MEGABYTE = 'x'.repeat(500_000)
const RECORDS = 20

test('a page of the audit log that takes too many bytes is refused, a shorter one is returned', async () => {
  await withCatalog(async ({ store, clock }) => {
    const audit = new AuditLog({ store, clock, log: createLog({ level: 'silent' }) })
    for (let at = 0; at < RECORDS; at += 1) {
      const about = { actor: `user:${at}`, target: '', address: '', detail: HALF_MEGABYTE }
      await audit.record({ orgUid: 'o', act: 'user_updated', ...about })
    }
    await assert.rejects(audit.list('o', { start: 0, limit: 1_000 }), /smaller "limit"/)
    const { entries, totalCount } = await audit.list('o', { start: 2, limit: 3 })
    assert.deepEqual(
      entries.map(({ actor }) => actor),
      ['user:17', 'user:16', 'user:15'],
    )
    assert.equal(totalCount, RECORDS)
  })
})

test('a page of grants that takes too many bytes is refused, a shorter one is returned', async () => {
  await withCatalog(async ({ store, clock }) => {
    const settings = { mode: 'open', accessTokenSeconds: 100, refreshTokenSeconds: 50 } as const
    const base: OAuthBase = { store, clock, settings }
    for (let at = 0; at < RECORDS; at += 1) {
      const grant: Grant = {
        uid: `g${at}`,
        revision: 0,
        userUid: 'u',
        clientId: `c${at}`,
        clientName: 'c',
        isRegistered: false,
        redirectHost: '',
        scope: HALF_MEGABYTE,
        secretHash: '',
        createdAtMs: 0,
        refreshedAtMs: 0,
      }
      await store.commit([putGrant(grant, clock.now() + 1_000_000)])
    }
    const all = { userUid: 'u', start: 0, limit: 1_000 }
    await assert.rejects(listGrants(base, all), /smaller "limit"/)
    const { grants, totalCount } = await listGrants(base, { ...all, limit: 3 })
    assert.deepEqual([grants.length, totalCount], [3, RECORDS])
  })
})

test('listPermitted() reads nothing of what the caller may not see, however long it is', async () => {
  await withCatalog(async ({ store }) => {
    const hidden = Array.from({ length: RECORDS }, (_, at) => `hidden${at}`)
    await store.commit(
      [...hidden, 'shown'].map((uid) => ({
        op: 'put' as const,
        orgUid: 'o',
        kind: 'unit',
        uid,
        listKey: uid,
        body: { text: HALF_MEGABYTE },
        expectedRevision: 0,
      })),
    )
    const capabilities = new Capabilities([
      { resource: 'unit', methods: ['GET'] },
      ...hidden.map((uid) => ({ resource: `unit/${uid}`, methods: [] })),
    ])
    const principal = keyPrincipal({ orgUid: 'o', keyUid: 'k', capabilities })
    const list = (limit: number) =>
      listPermitted(store, principal, { orgUid: 'o', kind: 'unit', start: 0, limit })
    const { documents, totalCount } = await list(1_000)
    assert.deepEqual([documents.map(({ uid }) => uid), totalCount], [['shown'], 1])
  })
})
