import assert from 'node:assert/strict'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import {
  markFolder,
  openBlobStore,
  openCatalogStore,
  openPayloadStore,
  openSampleStore,
  restoreBackup,
  writeBackup,
} from '../../src/store/embedded/index.ts'
import { openPayloadFile } from '../../src/store/embedded/payloads/open-payload-file.ts'
import { PayloadWriteTable } from '../../src/store/embedded/payloads/payload-write-table.ts'
import { PayloadDamaged, type PayloadStore, type ScrubFinding } from '../../src/store/index.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import {
  CONTRACT_BOUNDS,
  outcomeOf,
  payloadOf,
  payloadStoreContract,
} from './payload-store-contract.ts'

payloadStoreContract('embedded', async () => {
  const folder = temporaryFolder()
  let store = await openPayloadStore({ folder, bounds: CONTRACT_BOUNDS })
  return {
    store,
    reopen: async () => {
      await store.close()
      store = await openPayloadStore({ folder, bounds: CONTRACT_BOUNDS })
      return store
    },
    dispose: async () => {
      await store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
})

async function filled(folder: string): Promise<string[]> {
  const store = await openPayloadStore({ folder })
  const puts = [1, 2, 3].map((number) => store.put(payloadOf(number)))
  await Promise.all(puts.map(({ landed }) => landed))
  const uids = puts.map(({ uid }) => uid)
  await store.settle({ orgUid: 'org', connectorUid: 'c1', uid: uids[2] }, outcomeOf(1))
  await store.close()
  return uids
}

async function scrubbed(store: PayloadStore): Promise<{ items: number; found: ScrubFinding[] }> {
  const found: ScrubFinding[] = []
  let items = 0
  await store.scrub({
    mayGoOn: async () => true,
    onChecked: (count) => {
      items += count
    },
    onDamage: (finding) => found.push(finding),
  })
  return { items, found }
}

test('no file is made before the first payload', async () => {
  const folder = temporaryFolder()
  const store = await openPayloadStore({ folder })
  await store.list('c1', { start: 0, limit: 10 })
  await store.close()
  assert.deepEqual(readdirSync(folder), [])
})

test('a scrub reads all payloads back, and get() refuses one that does not check', async () => {
  const folder = temporaryFolder()
  const uids = await filled(folder)
  const whole = await openPayloadStore({ folder })
  assert.deepEqual(await scrubbed(whole), { items: 3, found: [] })
  await whole.close()
  const db = new DatabaseSync(join(folder, 'payloads.db'))
  db.exec("UPDATE payload SET body = 'bodY 1' WHERE number = 1")
  db.exec('UPDATE outcome SET samples = 2 WHERE number = 3')
  db.close()
  const reported: string[] = []
  const store = await openPayloadStore({ folder, onDamage: (what) => reported.push(what) })
  await assert.rejects(store.get('c1', uids[0]), PayloadDamaged)
  assert.equal((await store.get('c1', uids[1]))?.body, 'body 2')
  const { payloads } = await store.list('c1', { start: 0, limit: 10 })
  assert.deepEqual(
    payloads.map(({ uid }) => uid),
    [uids[1], uids[0]],
  )
  const { found } = await scrubbed(store)
  assert.deepEqual(
    found.map(({ part, what }) => [part, what]),
    [
      ['payloads', `payloads.db: payload ${uids[0]} does not check`],
      ['payloads', `payloads.db: the outcome of payload ${uids[2]} does not check`],
    ],
  )
  assert.ok(reported.length >= 3)
  await store.close()
})

test('a file that cannot be read is set aside, and payloads are kept in another', async () => {
  const folder = temporaryFolder()
  await filled(folder)
  writeFileSync(join(folder, 'payloads.db'), 'no database at all '.repeat(500))
  const reported: string[] = []
  const store = await openPayloadStore({ folder, onDamage: (what) => reported.push(what) })
  assert.match(reported.join(), /moved to quarantine/)
  await store.put(payloadOf(1)).landed
  assert.equal((await store.list('c1', { start: 0, limit: 10 })).totalCount, 1)
  await store.close()
  const [kept] = readdirSync(join(folder, 'quarantine'))
  assert.match(readFileSync(join(folder, 'quarantine', kept), 'utf8'), /^no database/)
})

test('a file of a newer Weir is refused and left alone', async () => {
  const folder = temporaryFolder()
  await filled(folder)
  const db = new DatabaseSync(join(folder, 'payloads.db'))
  db.exec('PRAGMA user_version = 99')
  db.close()
  await assert.rejects(openPayloadStore({ folder }), /format 99.*later Weir/)
  assert.ok(!readdirSync(folder).includes('quarantine'))
})

test('a batch that finds the disk full leaves nothing, and the next one is kept', (t) => {
  const folder = temporaryFolder()
  const db = openPayloadFile(join(folder, 'payloads.db'))
  t.after(() => db.close())
  const table = new PayloadWriteTable(db, CONTRACT_BOUNDS)
  const batch = (first: number, body: string) => ({
    puts: [0, 1].map((at) => ({ ...payloadOf(first + at, { body }), number: first + at })),
    assigned: [],
    outcomes: [],
    wholes: [],
    deletes: [],
  })
  const { page_count: pages } = db.prepare('PRAGMA page_count').get() as { page_count: number }
  db.exec(`PRAGMA max_page_count = ${pages + 2}`)
  assert.throws(() => table.apply(batch(1, 'x'.repeat(50_000))), { errcode: 13 })
  db.exec('PRAGMA max_page_count = 100000')
  table.apply(batch(1, 'short'))
  const count = (of: string) => db.prepare(`SELECT count(*) AS n FROM ${of}`).get()
  assert.deepEqual({ ...count('payload') }, { n: 2 })
  assert.deepEqual({ ...count('connector') }, { n: 1 })
})

test('a backup has what was settled before it, and restores it', async (t) => {
  const folder = temporaryFolder()
  await (await openCatalogStore({ folder })).close()
  await (await openSampleStore({ folder })).close()
  await (await openBlobStore({ folder: join(folder, 'files') })).close()
  markFolder(folder)
  const store = await openPayloadStore({ folder })
  const { uid, landed } = store.put(payloadOf(1))
  await landed
  await store.settle({ orgUid: 'org', connectorUid: 'c1', uid }, outcomeOf(4))
  const [target, restored] = [join(folder, '..', `${basename(folder)}.tar`), temporaryFolder()]
  t.after(() => rmSync(target, { force: true }))
  const reported = { version: '0', time: 'now', onProgress: () => {} }
  await writeBackup({ folder, target, withKey: false, ...reported }).done
  await store.put(payloadOf(2)).landed
  await store.close()
  await restoreBackup({ from: target, to: restored, onProgress: () => {} })
  const again = await openPayloadStore({ folder: restored })
  const { payloads, totalCount } = await again.list('c1', { start: 0, limit: 10 })
  assert.equal(totalCount, 1)
  assert.deepEqual([payloads[0].uid, payloads[0].outcome], [uid, outcomeOf(4)])
  await again.close()
})
