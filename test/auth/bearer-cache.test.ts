import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Grant, putGrant, revokeGrant } from '../../src/auth/oauth/grant-record.ts'
import { BearerCache, type OAuthBase } from '../../src/auth/oauth/index.ts'
import { deleteAccessToken, newTokens } from '../../src/auth/oauth/token-record.ts'
import { ManualClock } from '../../src/base/index.ts'
import { openCatalogStore } from '../../src/store/embedded/index.ts'
import { type CatalogStore, withCommitListener } from '../../src/store/index.ts'

const SECONDS = 1_000

async function openHome(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'weir-bearer-'))
  const clock = new ManualClock(1.7e12)
  const plain = await openCatalogStore({ folder, clock })
  t.after(async () => {
    await plain.close()
    rmSync(folder, { recursive: true })
  })
  const reads = { count: 0 }
  const counting: CatalogStore = withCommitListener(plain, () => {})
  counting.get = (key) => {
    reads.count += 1
    return plain.get(key)
  }
  const store = withCommitListener(counting, (writes) => cache.forgetWritten(writes))
  const settings = { mode: 'open', accessTokenSeconds: 100, refreshTokenSeconds: 50 } as const
  const base: OAuthBase = { store, clock, settings }
  const cache = new BearerCache(base)
  const issue = async (uid: string): Promise<string> => {
    const tokens = newTokens(base, { grantUid: uid, scope: 'feed:read' })
    const grant: Grant = {
      uid,
      revision: 0,
      userUid: 'u',
      clientId: 'c',
      clientName: 'c',
      isRegistered: false,
      redirectHost: '',
      scope: 'feed:read',
      secretHash: '',
      createdAtMs: 0,
      refreshedAtMs: 0,
    }
    await store.commit([putGrant(grant, clock.now() + 80 * SECONDS), ...tokens.writes])
    return tokens.accessToken
  }
  return { base, cache, clock, reads, issue }
}

test('BearerCache reads a token once, and keeps nothing of unknown ones', async (t) => {
  const { cache, reads, issue } = await openHome(t)
  const token = await issue('g1')
  assert.equal(cache.peek(token), undefined)
  assert.equal((await cache.find(token))?.grant.userUid, 'u')
  const { count } = reads
  assert.equal((await cache.find(token))?.grant.userUid, 'u')
  assert.equal(cache.peek(token)?.grant.userUid, 'u')
  assert.equal(reads.count, count)
  assert.equal(await cache.find('unknown'), undefined)
  assert.equal(await cache.find('unknown'), undefined)
  assert.equal(reads.count, count + 2)
})

test('BearerCache ends a token with its own time and with that of its grant', async (t) => {
  const { cache, clock, issue } = await openHome(t)
  const token = await issue('g1')
  await cache.find(token)
  clock.advance(80 * SECONDS - 1)
  assert.ok(cache.peek(token))
  clock.advance(1)
  assert.equal(cache.peek(token), undefined)
  assert.equal(await cache.find(token), undefined)
})

test('BearerCache forgets what a commit deletes, also what is being read meanwhile', async (t) => {
  const { base, cache, issue } = await openHome(t)
  for (const end of [
    (token: string) => deleteAccessToken(base, token),
    (_token: string, grantUid: string) => revokeGrant(base, grantUid),
  ]) {
    const known = await issue('g1')
    await cache.find(known)
    await end(known, 'g1')
    assert.equal(cache.peek(known), undefined)
    assert.equal(await cache.find(known), undefined)
    await revokeGrant(base, 'g1')
    const fresh = await issue('g2')
    const ending = end(fresh, 'g2')
    const reading = Array.from({ length: 50 }, () => cache.find(fresh))
    await ending
    assert.equal(cache.peek(fresh), undefined)
    await Promise.all(reading)
    assert.equal(cache.peek(fresh), undefined)
    await revokeGrant(base, 'g2')
  }
})
