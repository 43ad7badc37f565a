import assert from 'node:assert/strict'
import { test } from 'node:test'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { openIdentity, SecretBox } from '../auth/index.ts'
import { BearerCache } from '../auth/oauth/index.ts'
import { type Config, createLog, readRateFigures, systemClock } from '../base/index.ts'
import { openCatalogStore } from '../store/embedded/index.ts'
import { type CatalogWrite, withCommitListener } from '../store/index.ts'
import { beginFirstStart } from './first-start.ts'

test('beginFirstStart() makes the organization and its operators in one commit, once', async (t) => {
  const clock = systemClock
  const plain = await openCatalogStore({ folder: temporaryFolder() })
  const commits: (readonly CatalogWrite[])[] = []
  const store = withCommitListener(plain, (writes) => commits.push(writes))
  const settings = { mode: 'open', accessTokenSeconds: 60, refreshTokenSeconds: 600 } as const
  const oauth = { store, clock, settings }
  const log = createLog({ level: 'silent' })
  const identity = await openIdentity({
    store,
    clock,
    oauth,
    log,
    rateFigures: readRateFigures('off'),
    bearers: new BearerCache(oauth),
    box: new SecretBox(Buffer.alloc(32, 7)),
  })
  t.after(async () => {
    await identity.close()
    await store.close()
  })
  await using opened = new AsyncDisposableStack()
  const config = {
    host: '127.0.0.1',
    port: 0,
    dataDir: temporaryFolder(),
    ownerTimeZone: 'UTC',
    ownerEmail: 'owner@weir.invalid',
    ownerPassword: 'a long enough password',
  } as unknown as Config
  const made = await beginFirstStart({ identity, config, log }, opened)
  const { uid } = made?.created.organization ?? {}
  assert.ok(uid)
  // A crash after the commit must not leave an organization without operators.
  const making = commits.filter((writes) => writes.some((write) => write.uid === uid))
  assert.equal(making.flat().filter(({ kind }) => kind === 'operator').length, 1)
  assert.equal(
    (await store.get({ orgUid: '', kind: 'operator', uid: 'organization' }))?.body.orgUid,
    uid,
  )
  assert.equal(await beginFirstStart({ identity, config, log }, opened), undefined)
})
