import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { memberUidOf, newFamilyUid } from '../../src/base/index.ts'
import { openCatalogStore } from '../../src/store/embedded/index.ts'
import {
  CatalogConflict,
  CatalogDamaged,
  type CatalogWrite,
  type PutDocument,
} from '../../src/store/index.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = temporaryFolder()

function component(uid: string, id: string): PutDocument {
  return {
    ...{ op: 'put', orgUid: 'org', kind: 'component', uid, listKey: `/${id}`, index: `UTC\n${id}` },
    ...{ claims: [`component_id:${id}`], body: { id, creationDate: 1_700_000_000_000 } },
    expectedRevision: 0,
  }
}

function stream(parentUid: string, ordinal: number, id = `s${ordinal}`): PutDocument {
  const listKey = ordinal.toString(36).padStart(7, '0')
  return {
    ...{ op: 'put', orgUid: 'org', kind: 'stream', uid: memberUidOf(parentUid, ordinal) },
    ...{ parentUid, listKey, index: `000\n\n${id}`, claims: [`stream_id:${parentUid}:${id}`] },
    ...{ body: { id, valueType: 'DOUBLE' }, expectedRevision: 0 },
  }
}

function read(folder: string, sql: string): Record<string, unknown>[] {
  using db = new DatabaseSync(join(folder, 'catalog.db'))
  return db.prepare(sql).all()
}

function change(folder: string, sql: string): void {
  using db = new DatabaseSync(join(folder, 'catalog.db'))
  assert.ok(db.prepare(sql).run().changes > 0, sql)
}

test('a component and its streams are one row and one claim, and a fleet shares what it has in common', async () => {
  const folder = join(root, 'fleet')
  const store = await openCatalogStore({ folder })
  const uids = Array.from({ length: 1_000 }, () => newFamilyUid())
  await store.commit(
    uids.flatMap((uid, at) => [component(uid, `device-${at}`), stream(uid, 1), stream(uid, 2)]),
  )
  const { changes } = await store.changesSince(0, 10_000)
  assert.deepEqual(
    changes.slice(0, 4).map(({ cursor, uid }) => [cursor, uid]),
    [uids[0], memberUidOf(uids[0], 1), memberUidOf(uids[0], 2), uids[1]].map((uid, at) => [
      ...[at + 1, uid],
    ]),
  )
  assert.equal(changes.length, 3_000)
  const found = await store.findByClaim('org', `stream_id:${uids[7]}:s2`)
  assert.deepEqual([found?.uid, found?.handle], [memberUidOf(uids[7], 2), 16])
  await store.close()
  const count = (table: string) => read(folder, `SELECT count(*) AS rows FROM ${table}`)[0].rows
  assert.deepEqual(
    ['family', 'family_page', 'claim', 'document', 'entry', 'stream_handle'].map(count),
    [1_000, 0, 1_000, 0, 0, 0],
  )
  assert.ok(Number(count('shape')) <= 3, String(count('shape')))
  const [{ most }] = read(folder, 'SELECT max(length(packed)) AS most FROM family WHERE ref > 9')
  const [{ usual }] = read(folder, 'SELECT min(length(packed)) AS usual FROM family')
  assert.ok(Number(usual) < 90 && Number(most) < 1_000, `${usual} ${most}`)
})

test('a component of very many streams has rows of a bounded size, and none once they are gone', async () => {
  const folder = join(root, 'many')
  const store = await openCatalogStore({ folder })
  const uid = newFamilyUid()
  const streams = Array.from({ length: 2_000 }, (_, at) => stream(uid, at + 1))
  await store.commit([component(uid, 'boiler'), ...streams.slice(0, 1_900)])
  for (const one of streams.slice(1_900)) await store.commit([one])
  const [{ most, rows }] = read(
    folder,
    'SELECT max(length(packed)) AS most, count(*) AS rows FROM family_page',
  )
  assert.ok(Number(most) < 20_000 && Number(rows) === Math.floor(2_000 / 128), `${most} ${rows}`)
  const query = { orgUid: 'org', kind: 'stream', parentUid: uid, start: 1_950, limit: 3 }
  const page = await store.list(query)
  assert.deepEqual(
    [page.totalCount, page.documents.map(({ body }) => body.id)],
    [2_000, ['s1951', 's1952', 's1953']],
  )
  // An ID is taken wherever its stream stands, in the first row or a later one.
  for (const id of ['s5', 's1500']) {
    for (const ordinal of [100_000, 100]) {
      const twin = { ...stream(uid, ordinal, id), uid: memberUidOf(uid, ordinal + 2_500) }
      await assert.rejects(store.commit([twin]), (error: Error) => error instanceof CatalogConflict)
    }
  }
  assert.equal((await store.findByClaim('org', `stream_id:${uid}:s1500`))?.handle, 1_500)
  const deletes = [...streams, component(uid, 'boiler')].map(
    ({ orgUid, kind, uid: one }): CatalogWrite => ({
      ...{ op: 'delete', orgUid, kind, uid: one, expectedRevision: 'any' },
    }),
  )
  await store.commit(deletes)
  assert.deepEqual(
    (await store.usage('org')).map(({ documents, bytes }) => [documents, bytes]),
    [
      [0, 0],
      [0, 0],
    ],
  )
  await store.close()
  for (const table of ['family', 'family_page', 'claim', 'stream_handle']) {
    assert.deepEqual(read(folder, `SELECT * FROM ${table}`), [], table)
  }
})

test('an ID belongs to one stream of a component, also in a commit that finds it taken', async () => {
  const store = await openCatalogStore({ folder: join(root, 'twins') })
  const uid = newFamilyUid()
  await store.commit([component(uid, 'boiler'), stream(uid, 1, 'a'), stream(uid, 2, 'b')])
  const isTaken = (id: string) => (error: unknown) =>
    error instanceof CatalogConflict && error.claim === `stream_id:${uid}:${id}`
  await assert.rejects(store.commit([stream(uid, 3, 'a')]), isTaken('a'))
  await assert.rejects(store.commit([stream(uid, 3, 'c'), stream(uid, 4, 'c')]), isTaken('c'))
  const renamed = { ...stream(uid, 1, 'b'), expectedRevision: 1 }
  await assert.rejects(store.commit([renamed]), isTaken('b'))
  await store.commit([renamed, { ...stream(uid, 2, 'a'), expectedRevision: 1 }])
  assert.equal((await store.findByClaim('org', `stream_id:${uid}:b`))?.uid, memberUidOf(uid, 1))
  // In later rows as well, where the one that lets go of an ID comes after the one that takes it.
  await store.commit([stream(uid, 200, 'y')])
  await store.commit([stream(uid, 201, 'y'), { ...stream(uid, 200, 'z'), expectedRevision: 1 }])
  assert.equal((await store.findByClaim('org', `stream_id:${uid}:y`))?.uid, memberUidOf(uid, 201))
  await assert.rejects(store.commit([stream(uid, 202, 'y')]), isTaken('y'))
  await store.close()
})

test('a shape that one table lost is read from the other; lost in both it is told and not made up', async () => {
  const folder = join(root, 'shapes')
  const first = await openCatalogStore({ folder })
  const uids = Array.from({ length: 20 }, () => newFamilyUid())
  await first.commit(uids.flatMap((uid, at) => [component(uid, `d${at}`), stream(uid, 1)]))
  await first.close()
  const told: string[] = []
  const open = () => openCatalogStore({ folder, onDamage: (what) => told.push(what) })
  const key = { orgUid: 'org', kind: 'stream', uid: memberUidOf(uids[19], 1) }
  change(folder, `UPDATE shape SET text = replace(text, 'DOUBLE', 'STRING')`)
  const second = await open()
  assert.deepEqual((await second.get(key))?.body, { id: 's1', valueType: 'DOUBLE' })
  assert.match(told.join(), /^shape \d of components and streams does not check$/)
  const { isWhole } = await second.scanIndex(['component', 'stream'], { onRow: () => {} })
  assert.ok(isWhole)
  await second.close()
  change(folder, `UPDATE shape_again SET text = replace(text, 'DOUBLE', 'STRING')`)
  const third = await open()
  await assert.rejects(third.get(key), CatalogDamaged)
  await third.close()
})

test('a row of a family that does not check is refused and told, all others are served', async () => {
  const wrongs = [
    `UPDATE family SET packed = replace(packed, '"d5"', '"d6"') WHERE packed LIKE '%"d5"%'`,
    `UPDATE family SET list_key = '/d7' WHERE list_key = '/d5'`,
    `UPDATE family SET scope = 1 WHERE list_key = '/d5'`,
    `UPDATE family SET ref = ref + 100000 WHERE list_key = '/d5'`,
    `UPDATE family SET packed = (SELECT packed FROM family WHERE list_key = '/d6')
      WHERE list_key = '/d5'`,
    `UPDATE family_page SET packed = replace(packed, '"s300"', '"s301"')`,
    `UPDATE family_page SET page = 3`,
  ]
  for (const [at, sql] of wrongs.entries()) {
    const folder = join(root, `wrong-${at}`)
    const first = await openCatalogStore({ folder })
    await first.commit([{ ...component('c', 'c'), orgUid: 'other' }])
    const uids = Array.from({ length: 9 }, () => newFamilyUid())
    const written = await first.commit(
      uids.flatMap((uid, device) => [
        ...[component(uid, `d${device}`), stream(uid, 1)],
        ...(device === 5 ? [stream(uid, 300)] : []),
      ]),
    )
    await first.close()
    change(folder, sql)
    const told: string[] = []
    const store = await openCatalogStore({ folder, onDamage: (what) => told.push(what) })
    let refused = 0
    for (const wanted of written) {
      const found = await store.get(wanted).catch((error: unknown) => error)
      if (found instanceof CatalogDamaged || found === undefined) refused += 1
      else assert.deepEqual(found, wanted, sql)
    }
    assert.ok(told.length > 0 && refused >= 1 && refused <= 3, `${sql}: ${refused} ${told}`)
    await store.close()
  }
})

test('a look at a number of families in one organization leaves it to another in the same commit', async () => {
  const store = await openCatalogStore({ folder: join(root, 'looked-at') })
  const head = newFamilyUid()
  const { orgUid, kind, uid, claims } = stream(head, 1, 'x')
  const expected = { op: 'expect', orgUid: 'other', kind, uid, expectedRevision: 0 } as const
  const outside = { ...expected, op: 'put', orgUid, uid: 'u', claims, body: {} } as const
  await store.commit([expected, outside])
  await assert.rejects(store.commit([stream(head, 1, 'x')]), CatalogConflict)
  await store.close()
})

test('a scan tells which components may be lost, all of an organization where no claim names one', async () => {
  const folder = join(root, 'lost')
  const first = await openCatalogStore({ folder })
  const [named, unnamed, whole] = [newFamilyUid(), newFamilyUid(), newFamilyUid()]
  const long = 'x'.repeat(100)
  await first.commit([
    ...[component(named, long), stream(named, 1)],
    ...[{ ...component(unnamed, 'u'), orgUid: 'other' }, component(whole, 'w')],
  ])
  await first.close()
  change(
    folder,
    `UPDATE family SET packed = replace(packed, '${long}', 'y') WHERE list_key LIKE '/x%'`,
  )
  change(folder, `UPDATE family SET packed = replace(packed, '"u"', '"v"') WHERE list_key = '/u'`)
  change(folder, `DELETE FROM claim WHERE claim = 'component_id:u'`)
  const store = await openCatalogStore({ folder })
  const { lost } = await store.scanIndex(['component', 'stream'], { onRow: () => {} })
  const isLost = (orgUid: string, id: string) =>
    lost?.ofClaim(orgUid, `component_id:${id}`) !== undefined
  assert.deepEqual(
    [isLost('org', long), isLost('org', 'z'), isLost('other', 'z')],
    [true, false, true],
  )
  const uids = [named, memberUidOf(named, 7), unnamed, whole, newFamilyUid(), 'plain']
  assert.deepEqual(
    uids.map((uid) => lost?.ofUid(uid) !== undefined),
    [true, true, true, false, false, false],
  )
  await store.close()
})

test('a claim is known that is older than the family it belongs to', async () => {
  const store = await openCatalogStore({ folder: join(root, 'older') })
  const head = newFamilyUid()
  const of = (orgUid: string, put: PutDocument): PutDocument => ({ ...put, orgUid })
  const [made] = await store.commit([of('one', stream(head, 1, 'x'))])
  const gone = { op: 'delete', orgUid: 'one', kind: 'stream', uid: made.uid } as const
  const elsewhere = { ...of('two', stream(head, 1, 'y')), uid: 'elsewhere', parentUid: '' }
  await store.commit([{ ...gone, expectedRevision: 'any' }, elsewhere])
  await assert.rejects(store.commit([of('two', stream(head, 2, 'y'))]), CatalogConflict)
  await store.commit([of('two', stream(head, 2, 'z'))])
  await assert.rejects(store.commit([of('two', stream(head, 3, 'y'))]), CatalogConflict)
  await store.close()
})
