import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import { familyHeadOf, memberUidOf, newFamilyUid } from '../../src/base/index.ts'
import { openCatalogStore } from '../../src/store/embedded/index.ts'
import { CatalogConflict } from '../../src/store/index.ts'
import { putsOfFleet } from '../../src/store/puts-of-fleet.ts'
import { fleetOf } from '../support/fleets.ts'
import { SCHEMA_2 } from '../support/schema-2-catalog.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = temporaryFolder()

function makeFolder(name: string, version: number): string {
  const folder = join(root, name)
  mkdirSync(folder)
  const db = new DatabaseSync(join(folder, 'catalog.db'))
  db.exec('PRAGMA journal_mode = WAL')
  db.exec(SCHEMA_2)
  if (version === 1) db.exec('DROP TABLE meta; PRAGMA user_version = 1')
  db.close()
  return folder
}

/** Takes the log of changes back to that of schema 8, in which each component stands by itself. */
function takeBackTo8(folder: string): void {
  const db = new DatabaseSync(join(folder, 'catalog.db'))
  const set = db.prepare('UPDATE change SET changes = ?, crc = ? WHERE cursor = ?')
  for (const row of db.prepare('SELECT * FROM change JOIN scope USING (scope)').all()) {
    const [word, first, tails, code] = JSON.parse(String(row.changes))
    assert.equal(word, 'fleet')
    const uids = (tails.match(/.{10}/g) ?? []).map((tail: string, at: number) =>
      familyHeadOf(first + at, tail),
    )
    const json = JSON.stringify(uids.flatMap((uid: string) => ['component', uid, '', code]))
    set.run(json, crc32(`${row.cursor}\n${row.org_uid}\n${json}`), row.cursor)
  }
  db.exec('PRAGMA user_version = 8')
  db.close()
}

/** Takes the tables of the newest schema back to those of schema 7, which had no roll; it must be empty. */
function takeBackTo7(folder: string): void {
  const db = new DatabaseSync(join(folder, 'catalog.db'))
  assert.equal(db.prepare('SELECT count(*) AS pages FROM roll').get()?.pages, 0)
  db.exec('DROP TABLE roll; PRAGMA user_version = 7')
  db.close()
}

/** Takes the tables of the newest schema back to those of schema 6, which had no families. */
function takeBackTo6(folder: string): void {
  takeBackTo7(folder)
  const db = new DatabaseSync(join(folder, 'catalog.db'))
  db.exec(`DROP TABLE family; DROP TABLE family_page; DROP TABLE shape; DROP TABLE shape_again;
    DROP INDEX claim_holder;
    CREATE INDEX claim_holder ON claim (ref);
    PRAGMA user_version = 6`)
  db.close()
}

/** Takes the tables of the newest schema back to those of schema 5, with a row for every change. */
function takeBackTo5(folder: string): void {
  takeBackTo6(folder)
  const db = new DatabaseSync(join(folder, 'catalog.db'))
  const rows = db.prepare('SELECT * FROM change JOIN scope USING (scope)').all()
  const last = db.prepare(`SELECT seq FROM sqlite_sequence WHERE name = 'change'`).get()
  db.exec(`DROP TABLE change;
    CREATE TABLE change (cursor INTEGER PRIMARY KEY AUTOINCREMENT, scope INTEGER NOT NULL,
      kind TEXT NOT NULL, uid TEXT NOT NULL, parent_uid TEXT NOT NULL, is_deleted INTEGER NOT NULL);
    ALTER TABLE change ADD COLUMN crc INTEGER NOT NULL DEFAULT 0;
    DROP INDEX document_list;
    CREATE INDEX document_list ON document (scope, kind, list_key, uid);
    PRAGMA user_version = 5`)
  const insert = db.prepare('INSERT INTO change VALUES (?, ?, ?, ?, ?, ?, ?)')
  for (const row of rows as Record<string, string | number>[]) {
    const fields = JSON.parse(String(row.changes))
    const first = Number(row.cursor) - fields.length / 4 + 1
    for (let at = 0; at < fields.length; at += 4) {
      const change = fields.slice(at, at + 4)
      const crc = crc32([row.org_uid, ...change].join('\n'))
      insert.run(first + at / 4, row.scope, ...change, crc)
    }
  }
  // Also where the log was trimmed, the last cursor stays known.
  db.exec(`DELETE FROM sqlite_sequence WHERE name = 'change'`)
  db.prepare(`INSERT INTO sqlite_sequence VALUES ('change', ?)`).run(Number(last?.seq))
  db.close()
}

/** Takes the tables of the newest schema back to those of schema 3, whose tally had no bytes. */
function takeBackTo3(folder: string): void {
  takeBackTo5(folder)
  const db = new DatabaseSync(join(folder, 'catalog.db'))
  db.exec('ALTER TABLE tally DROP COLUMN bytes; PRAGMA user_version = 3')
  const set = db.prepare('UPDATE tally SET crc = ? WHERE scope = ? AND kind = ?')
  for (const row of db.prepare('SELECT * FROM tally').all()) {
    const { scope, kind, documents, entries } = row as Record<string, string>
    set.run(crc32(`${scope}\n${kind}\n${documents}\n${entries}`), scope, kind)
  }
  db.close()
}

test('a catalog of schema 3 counts its bytes, and a count that did not check still does not', async () => {
  const folder = makeFolder('schema-3', 2)
  await (await openCatalogStore({ folder })).close()
  takeBackTo3(folder)
  const db = new DatabaseSync(join(folder, 'catalog.db'))
  db.exec(`UPDATE tally SET documents = 5 WHERE kind = 'session'`)
  db.close()
  const told: string[] = []
  const store = await openCatalogStore({ folder, onDamage: (what) => told.push(what) })
  const expected = [
    { kind: 'component', documents: 1, bytes: 8 + '/boiler{"id":"boiler"}'.length },
    { kind: 'stream', documents: 1, bytes: 8 + Buffer.byteLength('{"id":"témp \u{1F600}"}') },
  ]
  assert.deepEqual(await store.usage('org'), expected)
  const [sessions] = await store.usage('')
  assert.equal(sessions.documents, 1)
  assert.deepEqual(told, ['the count of session in organization number 1 does not check'])
  await store.close()
})

test('a catalog of schema 4 keeps long claims as hashes, findable and taken', async () => {
  const folder = makeFolder('schema-4', 2)
  await (await openCatalogStore({ folder })).close()
  takeBackTo5(folder)
  const long = `component_id:${'é'.repeat(400)}`
  const db = new DatabaseSync(join(folder, 'catalog.db'))
  db.prepare('INSERT INTO claim (scope, claim, ref, crc) VALUES (2, ?, 2, ?)').run(
    ...[long, crc32(`org\ncomponent\nc\n${long}`)],
  )
  db.exec('PRAGMA user_version = 4')
  db.close()
  const told: string[] = []
  const store = await openCatalogStore({ folder, onDamage: (what) => told.push(what) })
  assert.equal((await store.findByClaim('org', long))?.uid, 'c')
  const put = { op: 'put', orgUid: 'org', kind: 'component', uid: 'other', body: {} } as const
  const taking = store.commit([{ ...put, claims: [long], expectedRevision: 0 }])
  await assert.rejects(taking, (error: Error) => (error as CatalogConflict).claim === long)
  await store.commit([{ ...put, claims: [`${long}é`], expectedRevision: 0 }])
  await store.close()
  const after = new DatabaseSync(join(folder, 'catalog.db'))
  const { most } = after.prepare('SELECT max(octet_length(claim)) AS most FROM claim').get() ?? {}
  after.close()
  assert.ok(Number(most) <= 64, String(most))
  await (await openCatalogStore({ folder, onDamage: (what) => told.push(what) })).close()
  assert.deepEqual(told, [])
})

test('a catalog of schema 5 keeps its log of changes, and one that did not check still does not', async () => {
  const folder = makeFolder('schema-5', 2)
  const before = await openCatalogStore({ folder })
  const put = { op: 'put', orgUid: 'org', body: {}, expectedRevision: 0 } as const
  await before.commit([
    { ...put, kind: 'component', uid: 'c2', listKey: '/b' },
    { ...put, kind: 'stream', uid: 's2', parentUid: 'c2', listKey: '1', index: 'packed' },
    { ...put, kind: 'stream', uid: 's3', parentUid: 'c2', listKey: '0', index: 'packed' },
    { ...put, orgUid: 'other', kind: 'unit', uid: 'u2' },
  ])
  const { changes } = await before.changesSince(0, 100)
  assert.deepEqual(
    changes.map(({ cursor, uid }) => [cursor, uid]),
    ['s', 'u', 'c2', 's2', 's3', 'u2'].map((uid, at) => [at + 1, uid]),
  )
  await before.close()
  takeBackTo5(folder)
  const store = await openCatalogStore({ folder })
  assert.deepEqual((await store.changesSince(0, 100)).changes, changes)
  assert.deepEqual((await store.changesSince(3, 2)).changes, changes.slice(3, 5))
  const streams = { orgUid: 'org', kind: 'stream', start: 0, limit: 9 }
  const inComponent = await store.list({ ...streams, parentUid: 'c2' })
  assert.deepEqual(
    [inComponent.totalCount, inComponent.documents.map(({ uid }) => uid)],
    [2, ['s3', 's2']],
  )
  const all = await store.list({ ...streams, descending: true })
  assert.deepEqual([all.totalCount, all.documents.map(({ uid }) => uid)], [3, ['s2', 's3', 's']])
  const [made] = await store.commit([{ ...put, kind: 'unit', uid: 'u3' }])
  const { cursor } = await store.changesSince(6, 5)
  assert.deepEqual([made.revision, cursor], [1, 7])
  await store.close()
  takeBackTo5(folder)
  const db = new DatabaseSync(join(folder, 'catalog.db'))
  db.exec('UPDATE change SET crc = crc + 1 WHERE cursor = 4; DELETE FROM change WHERE cursor < 3')
  db.close()
  const told: string[] = []
  await (await openCatalogStore({ folder, onDamage: (what) => told.push(what) })).close()
  assert.deepEqual(told, ['change 4 does not check'])
})

test('a catalog of schema 6 goes on with its documents, beside components that share rows with their streams', async () => {
  const folder = makeFolder('schema-6', 2)
  const put = { op: 'put', orgUid: 'org', expectedRevision: 0, index: 'packed' } as const
  const before = await openCatalogStore({ folder })
  const old = ['b', 'd'].map((id) => ({
    ...{ ...put, kind: 'component', uid: `c-${id}`, listKey: `/${id}` },
    ...{ claims: [`component_id:${id}`], body: { id } },
  }))
  const written = await before.commit(old)
  await before.close()
  takeBackTo6(folder)
  const told: string[] = []
  const store = await openCatalogStore({ folder, onDamage: (what) => told.push(what) })
  for (const one of written) assert.deepEqual(await store.get(one), one)
  const heads = ['a', 'c'].map((id) => ({ id, uid: newFamilyUid() }))
  const made = await store.commit(
    heads.flatMap(({ id, uid }) => [
      {
        ...{ ...put, kind: 'component', uid, listKey: `/${id}` },
        ...{ claims: [`component_id:${id}`], body: { id } },
      },
      { ...put, kind: 'stream', uid: memberUidOf(uid, 1), parentUid: uid, body: { id: 't' } },
    ]),
  )
  assert.deepEqual(
    made.map(({ handle }) => handle),
    [undefined, 10, undefined, 11],
  )
  const listed = async (more: object) => {
    const query = { orgUid: 'org', kind: 'component', start: 0, limit: 9, ...more }
    const { documents, totalCount } = await store.list(query)
    return [totalCount, ...documents.map(({ listKey }) => listKey)].join(' ')
  }
  assert.equal(await listed({}), '5 /a /b /boiler /c /d')
  assert.equal(await listed({ start: 1, limit: 3, descending: true }), '5 /c /boiler /b')
  assert.equal(await listed({ listKeyPrefix: '/b' }), '2 /b /boiler')
  const taken = { ...put, kind: 'component', uid: newFamilyUid(), body: {} }
  for (const id of ['b', 'c']) {
    const taking = store.commit([{ ...taken, claims: [`component_id:${id}`] }])
    await assert.rejects(taking, (error: Error) => (error as CatalogConflict).claim?.endsWith(id))
  }
  const order: string[] = []
  const scan = await store.scanIndex(['component', 'stream'], {
    onRow: ({ uid }) => order.push(uid),
  })
  assert.deepEqual([scan.isWhole, order.length], [true, 8])
  await store.close()
  await (await openCatalogStore({ folder, onDamage: (what) => told.push(what) })).close()
  assert.deepEqual(told, [])
})

test('a catalog of schema 7 goes on with its components, beside those that share pages of the roll', async () => {
  const folder = join(root, 'schema-7')
  const first = await openCatalogStore({ folder })
  const ids = Array.from({ length: 200 }, (_, at) => `d${at}`)
  // As all fleets of schema 7 were: so few have claims and list entries of their own.
  for (let from = 0; from < 100; from += 2) await first.commit([fleetOf(ids.slice(from, from + 2))])
  await first.close()
  takeBackTo7(folder)
  const told: string[] = []
  const store = await openCatalogStore({ folder, onDamage: (what) => told.push(what) })
  await assert.rejects(
    store.commit([fleetOf(ids.slice(90))]),
    (error: unknown) => error instanceof CatalogConflict && error.claim === 'component_id:d90',
  )
  await store.commit([fleetOf(ids.slice(100))])
  const listed = async (more: object) => {
    const query = { orgUid: 'org', kind: 'component', start: 0, limit: 200, ...more }
    const { documents, totalCount } = await store.list(query)
    return { ids: documents.map(({ body }) => body.id), totalCount }
  }
  const sorted = ids.toSorted()
  assert.deepEqual(await listed({}), { ids: sorted, totalCount: 200 })
  const some = { start: 31, limit: 50, descending: true }
  assert.deepEqual((await listed(some)).ids, sorted.toReversed().slice(31, 81))
  for (const id of ids) {
    assert.equal((await store.findByClaim('org', `component_id:${id}`))?.body.id, id)
  }
  await store.close()
  await (await openCatalogStore({ folder, onDamage: (what) => told.push(what) })).close()
  assert.deepEqual(told, [])
  const db = new DatabaseSync(join(folder, 'catalog.db'), { readOnly: true })
  const { rolled } = db.prepare('SELECT sum(count) AS rolled FROM roll').get() ?? {}
  assert.deepEqual([rolled, db.prepare('PRAGMA user_version').get()?.user_version], [100, 9])
  db.close()
})

test('a catalog of schema 8 keeps its log of changes, and goes on with fleets that are told together', async () => {
  const folder = join(root, 'schema-8')
  const ids = Array.from({ length: 6_000 }, (_, at) => `d${at}`)
  const first = await openCatalogStore({ folder })
  for (let from = 0; from < 300; from += 100)
    await first.commit([fleetOf(ids.slice(from, from + 100))])
  const before = await first.changesSince(0, 10_000)
  assert.equal(before.changes.length, 600)
  await first.close()
  takeBackTo8(folder)
  const told: string[] = []
  const store = await openCatalogStore({ folder, onDamage: (what) => told.push(what) })
  assert.deepEqual(await store.changesSince(0, 10_000), before)
  const fleet = fleetOf(ids.slice(300))
  await store.commit([fleet])
  const { changes, cursor } = await store.changesSince(before.cursor, 100_000)
  const heard = changes.map(({ kind, uid, parentUid, isDeleted }) => [
    kind,
    uid,
    parentUid,
    isDeleted,
  ])
  const puts = putsOfFleet(fleet).map(({ kind, uid, parentUid }) => [
    kind,
    uid,
    parentUid ?? '',
    false,
  ])
  assert.deepEqual(heard, puts)
  assert.deepEqual(
    changes.map((change) => change.cursor),
    puts.map((_, at) => before.cursor + at + 1),
  )
  const middle = await store.changesSince(before.cursor + 5_001, 3)
  assert.deepEqual(middle.changes, changes.slice(5_001, 5_004))
  await store.close()
  await (await openCatalogStore({ folder, onDamage: (what) => told.push(what) })).close()
  assert.deepEqual([told, cursor], [[], before.cursor + puts.length])
})

for (const version of [1, 2]) {
  test(`a catalog of schema ${version} is given checksums, and keeps all it holds`, async () => {
    const folder = makeFolder(`schema-${version}`, version)
    const told: string[] = []
    const open = () => openCatalogStore({ folder, onDamage: (what) => told.push(what) })
    // Closed and opened again: the second start finds what the first has made.
    await (await open()).close()
    const store = await open()
    const session = await store.get({ orgUid: '', kind: 'session', uid: 'hash' })
    assert.deepEqual(session, {
      ...{ orgUid: '', kind: 'session', uid: 'hash', parentUid: '', revision: 3, listKey: 'ann' },
      ...{ expiresAtMs: 1_900_000_000_000, handle: undefined, body: { userUid: 'ann' } },
    })
    const stream = await store.get({ orgUid: 'org', kind: 'stream', uid: 's' })
    assert.deepEqual([stream?.handle, stream?.body], [7, { id: 'témp \u{1F600}' }])
    assert.equal((await store.findByClaim('org', 'component_id:boiler'))?.uid, 'c')
    assert.equal(await store.findByClaim('org', 'orphan'), undefined)
    const rows: string[] = []
    const { isWhole } = await store.scanIndex(['stream'], {
      onRow: ({ index }) => rows.push(index),
    })
    assert.deepEqual([isWhole, rows], [true, ['packed']])
    assert.equal((await store.changesSince(0, 10)).changes[1].uid, 'u')
    const page = await store.list({ orgUid: 'org', kind: 'stream', start: 0, limit: 5 })
    assert.equal(page.totalCount, 1)
    assert.equal((await store.acquireLease('sweep', 'me', 1))?.fence, 5)
    const put = { op: 'put', orgUid: 'org', kind: 'stream', uid: 's2', body: {} } as const
    const [made] = await store.commit([{ ...put, index: 'packed', expectedRevision: 0 }])
    assert.equal(made.handle, 10)
    const [changed] = await store.commit([{ ...put, uid: 's', expectedRevision: 2 }])
    assert.deepEqual([changed.handle, changed.revision], [7, 3])
    await store.close()
    await (await open()).close()
    assert.deepEqual(told, [])
  })
}
