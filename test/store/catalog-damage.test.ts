import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { memberUidOf } from '../../src/base/index.ts'
import { openCatalog } from '../../src/catalog/index.ts'
import { openChecked } from '../../src/store/embedded/catalog/catalog-checks.ts'
import { CatalogReadTable } from '../../src/store/embedded/catalog/catalog-read-table.ts'
import {
  WALK_START,
  type WalkPlace,
} from '../../src/store/embedded/catalog/family/family-walk-table.ts'
import { indexRowOf } from '../../src/store/embedded/catalog/family/index-row-of.ts'
import { openCatalogFile } from '../../src/store/embedded/catalog/open-catalog-file.ts'
import { CatalogScrub } from '../../src/store/embedded/catalog/scrub/catalog-scrub.ts'
import { replaceIndexes } from '../../src/store/embedded/catalog/scrub/catalog-structure.ts'
import { FolderDamaged, openCatalogStore } from '../../src/store/embedded/index.ts'
import {
  CatalogDamaged,
  type CatalogDocument,
  type CatalogWrite,
  type IndexRow,
  type ScrubFinding,
} from '../../src/store/index.ts'
import { people } from '../support/catalog.ts'
import { listPages } from '../support/flip-page.ts'
import { Random, roundsBy, testSeeds } from '../support/random.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = temporaryFolder()

const FLIPS = roundsBy({ everyRun: 40, nightly: 600 })
const ORGS = ['', 'org-one', 'org-two']
const KINDS = ['component', 'stream', 'cycle', 'user', 'session']

/** Documents from here on share rows with their family, if they are components and streams. */
const FIRST_OF_FAMILY = 6

/** Of components, by their own names or by UIDs that tell a family; their streams are in the first row or a later one. */
function uidOf(kind: string, at: number, orgUid: string): string {
  if (at < FIRST_OF_FAMILY) return `${kind}-${at}-${orgUid}`
  const head = `019${ORGS.indexOf(orgUid)}0000-00${at.toString(16).padStart(2, '0')}-8000-8000-000000000000`
  return kind === 'component' ? head : memberUidOf(head, at % 2 === 0 ? 1 : 200)
}

/** Some hundred documents of every sort: claims, index rows, parents, ends, streams. */
function sampleWrites(): CatalogWrite[] {
  return ORGS.flatMap((orgUid) =>
    KINDS.flatMap((kind) =>
      Array.from({ length: 12 }, (_, at): CatalogWrite => {
        const isOfFamily = kind === 'component' || kind === 'stream'
        const uid = isOfFamily ? uidOf(kind, at, orgUid) : `${kind}-${at}-${orgUid}`
        const parentUid = uidOf('component', at, orgUid)
        return {
          ...{ op: 'put', orgUid, kind, uid, expectedRevision: 0, listKey: `${kind} ${at}` },
          ...(kind === 'stream' ? { parentUid } : {}),
          ...(kind === 'session' ? { expiresAtMs: 1_900_000_000_000 + at } : {}),
          ...(kind === 'stream' || kind === 'component' ? { index: `packed ${uid}` } : {}),
          claims: [`${kind}_id:${uid}`, ...(kind === 'stream' ? [`stream_id:${parentUid}:t`] : [])],
          body: { id: uid, offsetMs: 3_600_000 * at, note: 'x'.repeat(at * 9) },
        }
      }),
    ),
  )
}

interface Contents {
  readonly documents: Map<string, CatalogDocument>
  readonly rows: Map<string, IndexRow>
}

const keyOf = ({ orgUid, kind, uid }: { orgUid: string; kind: string; uid: string }) =>
  `${orgUid} ${kind} ${uid}`

async function makeFolder(name: string): Promise<{ folder: string; contents: Contents }> {
  const folder = join(root, name)
  const store = await openCatalogStore({ folder })
  const written = await store.commit(sampleWrites())
  // Some of everything is changed and deleted, so that pages have free room and old bytes.
  const [doomed] = await store.commit([
    { op: 'put', orgUid: '', kind: 'unit', uid: 'gone', body: {}, expectedRevision: 0 },
  ])
  await store.commit([{ ...doomed, op: 'delete', expectedRevision: 1 }])
  await store.acquireLease('sweep', 'me', 60_000)
  const rows = new Map<string, IndexRow>()
  for (const kind of ['component', 'stream']) {
    await store.scanIndex([kind], { onRow: (row) => rows.set(keyOf(row), row) })
  }
  await store.close()
  const documents = new Map(written.map((document) => [keyOf(document), document]))
  return { folder, contents: { documents, rows } }
}

/** Whether the error is one that names damage. */
const isDamage = (error: unknown) =>
  error instanceof CatalogDamaged || error instanceof FolderDamaged

/** Runs a read that may answer rightly, or tell of damage; anything else fails the test. */
function attempt<T>(read: () => T): T | 'damaged' {
  try {
    return read()
  } catch (error) {
    if (isDamage(error)) return 'damaged'
    throw error
  }
}

/** Every answer that is not the one before the flip; a wrong one fails the test. */
function findMissing(table: CatalogReadTable, { documents, rows }: Contents): string[] {
  const missing: string[] = []
  const hold = (found: CatalogDocument | undefined | 'damaged', wanted: CatalogDocument) => {
    if (found === 'damaged') return
    if (found === undefined) missing.push(keyOf(wanted))
    else assert.deepEqual(found, wanted)
  }
  for (const wanted of documents.values()) {
    const claim = `${wanted.kind}_id:${wanted.uid}`
    hold(
      attempt(() => table.selectByKey(wanted)),
      wanted,
    )
    hold(
      attempt(() => table.selectByClaim(wanted.orgUid, claim)),
      wanted,
    )
    if (wanted.kind !== 'stream') continue
    const local = `stream_id:${wanted.parentUid}:t`
    hold(
      attempt(() => table.selectByClaim(wanted.orgUid, local)),
      wanted,
    )
  }
  for (const orgUid of ORGS) {
    for (const kind of KINDS) {
      const page = attempt(() => table.selectPage({ orgUid, kind, start: 0, limit: 100 }))
      if (page === 'damaged') continue
      for (const found of page.documents) {
        assert.deepEqual(found, documents.get(keyOf(found)))
      }
      if (page.documents.length !== 12 || page.totalCount !== 12) missing.push(`${orgUid} ${kind}`)
    }
  }
  const seen: IndexRow[] = []
  for (const kind of ['component', 'stream']) {
    const scan = attempt(() =>
      table.scanEntries(kind, { after: 0, limit: 1_000 }, (row) => {
        assert.deepEqual(row, rows.get(keyOf(row)))
        seen.push(row)
      }),
    )
    if (scan !== 'damaged' && scan.damages.length > 0) missing.push(kind)
  }
  const walked = attempt(() => walkFamilies(table, rows))
  if (walked === 'damaged' || walked > 0) missing.push('families')
  return missing
}

/** Holds every row of a family against what it was; tells how many do not check. */
function walkFamilies(table: CatalogReadTable, rows: Contents['rows']): number {
  let damages = 0
  let at: WalkPlace | undefined = WALK_START
  while (at !== undefined) {
    const after: WalkPlace = at
    const step = table.scanFamilies(KINDS, { after, limit: 10 }, (packed) => {
      const row = indexRowOf(packed)
      assert.deepEqual(row, rows.get(keyOf(row)))
    })
    damages += step.damages.length
    at = step.next
  }
  return damages
}

test('no flipped bit of catalog.db makes the catalog answer wrongly, and none that shows goes untold', async () => {
  const { folder, contents } = await makeFolder('flips')
  const file = join(folder, 'catalog.db')
  const whole = readFileSync(file)
  const copy = join(root, 'flipped.db')
  const counts = { refused: 0, told: 0, harmless: 0 }
  for (const seed of testSeeds(1)) {
    const random = new Random(seed)
    for (let round = 0; round < FLIPS; round += 1) {
      const bit = random.integer(0, whole.length * 8)
      const bytes = Buffer.from(whole)
      bytes[bit >> 3] ^= 1 << (bit & 7)
      writeFileSync(copy, bytes)
      for (const ending of ['-wal', '-shm']) rmSync(copy + ending, { force: true })
      const what = `seed ${seed}, round ${round}, byte ${bit >> 3}, bit ${bit & 7}`
      try {
        counts[await outcomeOf(copy, contents, what)] += 1
      } catch (error) {
        throw new Error(what, { cause: error })
      }
    }
  }
  assert.ok(counts.told > FLIPS / 12, JSON.stringify(counts))
})

async function outcomeOf(file: string, contents: Contents, what: string) {
  const told: string[] = []
  const opened = attempt(() =>
    openChecked(() => {
      openCatalogFile(file).close()
      return new DatabaseSync(file, { readOnly: true })
    }),
  )
  if (opened === 'damaged') return 'refused'
  using db = opened
  const table = attempt(() => openChecked(() => new CatalogReadTable(db, (one) => told.push(one))))
  if (table === 'damaged') return 'refused'
  await new CatalogScrub(db, file).runAtOnce({
    onDamage: (one) => told.push(one),
    async rebuildIndexes() {
      using writing = new DatabaseSync(file)
      writing.exec('BEGIN IMMEDIATE')
      replaceIndexes(writing)
      writing.exec('COMMIT')
    },
  })
  const missing = findMissing(table, contents)
  if (missing.length > 0) assert.ok(told.length > 0, `${what}: ${missing} went untold`)
  return told.length > 0 ? 'told' : 'harmless'
}

/** Changes a value in the place of a flipped bit; SQLite keeps its indexes in step. */
function spoil(folder: string, sql: string): void {
  const db = new DatabaseSync(join(folder, 'catalog.db'))
  assert.ok(db.prepare(sql).run().changes > 0, sql)
  db.close()
}

test('a document, claim or organization that does not check is refused and told, all others are served', async () => {
  const { folder, contents } = await makeFolder('rows')
  const spare = join(root, 'spare.db')
  copyFileSync(join(folder, 'catalog.db'), spare)
  const wrongs = [
    `UPDATE document SET body = replace(body, '3600000,', '7200000,') WHERE uid = 'cycle-1-org-one'`,
    `UPDATE document SET revision = revision + 1 WHERE uid = 'cycle-1-org-one'`,
    `UPDATE document SET handle = handle + 1 WHERE uid = 'stream-1-org-one'`,
    `UPDATE document SET expires_at_ms = 1 WHERE uid = 'session-1-org-one'`,
    `UPDATE claim SET ref = ref + 1 WHERE claim = 'user_id:user-1-org-one'`,
    `UPDATE claim SET claim = 'user_id:rob' WHERE claim = 'user_id:user-1-org-one'`,
    `UPDATE document SET parent_uid = 'component-2-org-one' WHERE uid = 'stream-1-org-one'`,
  ]
  for (const sql of wrongs) {
    copyFileSync(spare, join(folder, 'catalog.db'))
    spoil(folder, sql)
    const told: string[] = []
    const store = await openCatalogStore({ folder, onDamage: (what) => told.push(what) })
    let refused = 0
    for (const wanted of contents.documents.values()) {
      const claim = `${wanted.kind}_id:${wanted.uid}`
      for (const read of [store.get(wanted), store.findByClaim(wanted.orgUid, claim)]) {
        const found = await read.catch((error: unknown) => error)
        if (isDamage(found)) refused += 1
        else if (found !== undefined) assert.deepEqual(found, wanted, sql)
      }
    }
    assert.ok(told.length > 0, sql)
    const rob = store.findByClaim('org-one', 'user_id:rob')
    if (sql.includes("'user_id:rob'")) await assert.rejects(rob, CatalogDamaged)
    else assert.ok(refused > 0 && (await rob) === undefined, sql)
    await store.close()
  }
})

test('a document that does not check is not built upon, and expires by nobody', async () => {
  const { folder, contents } = await makeFolder('writes')
  spoil(folder, `UPDATE document SET expires_at_ms = 5 WHERE uid = 'session-1-org-one'`)
  const store = await openCatalogStore({ folder })
  const before = contents.documents.get('org-one session session-1-org-one')
  assert.ok(before !== undefined)
  const write = { ...before, op: 'put', claims: [], expectedRevision: 'any' } as const
  await assert.rejects(store.commit([write]), CatalogDamaged)
  assert.equal(await store.purgeExpired(1_000, 100), 0)
  const [other] = await store.commit([{ ...write, uid: 'other', expectedRevision: 0 }])
  assert.equal(other.revision, 1)
  await store.close()
})

test('the index of streams is derived from documents when its rows do not check or are missing', async () => {
  const damages = [
    `UPDATE entry SET packed = replace(packed, 'UTC', 'UTD') WHERE kind = 'component'`,
    `DELETE FROM entry WHERE uid = '${S1}'`,
    `UPDATE entry SET handle = handle + 7 WHERE uid = '${S1}'`,
  ]
  for (const [at, sql] of damages.entries()) {
    const folder = join(root, `index-${at}`)
    const first = await openCatalogStore({ folder })
    const catalog = await openCatalog({ store: first, people })
    const { handle } = await makeStream(first, catalog)
    await first.close()
    spoil(folder, sql)
    const told: string[] = []
    const store = await openCatalogStore({ folder, onDamage: (what) => told.push(what) })
    const again = await openCatalog({ store, people })
    assert.equal(again.index.streamByUid('o', S1), handle, sql)
    assert.equal(again.index.componentByUid('o', C1)?.timeZone, 'UTC')
    assert.ok(told.length > 0, sql)
    await store.close()
  }
})

const C1 = '11111111-1111-4111-8111-111111111111'
const S1 = '22222222-2222-4222-8222-222222222222'

async function makeStream(
  store: Awaited<ReturnType<typeof openCatalogStore>>,
  catalog: Awaited<ReturnType<typeof openCatalog>>,
) {
  assert.equal(catalog.index.streamByUid('o', S1), 0)
  const [, stream] = await store.commit([
    {
      ...{ op: 'put', orgUid: 'o', kind: 'component', uid: C1, expectedRevision: 0 },
      ...{ index: 'UTC\nboiler', claims: ['component_id:boiler'] },
      body: { id: 'boiler', timeZoneId: 'UTC' },
    },
    {
      ...{ op: 'put', orgUid: 'o', kind: 'stream', uid: S1, parentUid: C1 },
      ...{ index: '0001\n\ntemp', expectedRevision: 0 },
      body: {
        ...{ id: 'temp', streamType: 'random_stream', valueType: 'DOUBLE', grid: '', order: 1 },
        ...{ streamDerivationType: 'NONE', delete_profile: null },
      },
    },
  ])
  return { handle: stream.handle }
}

test('a scrub reads every row and names what does not check', async () => {
  const { folder } = await makeFolder('scrub')
  const scrub = async (): Promise<{ items: number; found: ScrubFinding[] }> => {
    const store = await openCatalogStore({ folder })
    let items = 0
    const found: ScrubFinding[] = []
    await store.scrub({
      mayGoOn: async () => true,
      onChecked: (count) => {
        items += count
      },
      onDamage: (finding) => found.push(finding),
    })
    await store.close()
    return { items, found }
  }
  const whole = await scrub()
  assert.deepEqual(whole.found, [])
  assert.ok(whole.items > 180 * 2, String(whole.items))
  for (const table of ['document', 'claim', 'change', 'tally', 'lease', 'entry']) {
    const column = table === 'document' ? 'revision' : 'crc'
    spoil(
      folder,
      `UPDATE ${table} SET ${column} = ${column} + 1
      WHERE ${column} = (SELECT max(${column}) FROM ${table})`,
    )
  }
  const { found } = await scrub()
  assert.ok(found.every(({ part }) => part === 'catalog'))
  const text = found.map(({ what }) => what).join('\n')
  for (const pattern of [
    /handle|does not check/,
    /claim/,
    /change \d/,
    /count of/,
    /lease/,
    /index row/,
  ]) {
    assert.match(text, pattern)
  }
})

test('an empty text that became an empty blob does not check', async () => {
  const { folder } = await makeFolder('blobs')
  const first = `(SELECT min(ref) FROM document WHERE parent_uid = '')`
  spoil(folder, `UPDATE document SET parent_uid = x'' WHERE ref = ${first}`)
  const last = `(SELECT max(ref) FROM entry WHERE kind = 'component')`
  spoil(folder, `UPDATE entry SET parent_uid = x'' WHERE kind = 'component' AND ref = ${last}`)
  const told: string[] = []
  await (await openCatalogStore({ folder, onDamage: (what) => told.push(what) })).close()
  for (const pattern of [
    /^(?!the index row).* does not check/,
    /^the index row \d+ of kind component/,
  ]) {
    assert.ok(
      told.some((what) => pattern.test(what)),
      `${pattern} in ${told.join()}`,
    )
  }
})

test('a scrub ends when it is told to', async () => {
  const { folder } = await makeFolder('stopped')
  const store = await openCatalogStore({ folder })
  let asked = 0
  const mayGoOn = async () => {
    asked += 1
    return asked < 2
  }
  await store.scrub({ mayGoOn, onChecked: () => {}, onDamage: () => assert.fail() })
  assert.equal(asked, 2)
  await store.close()
})

/** Leaves a document out of an index: for a moment SQLite is told that it has another condition. */
function leaveOut(file: string, listKey: string): void {
  using db = new DatabaseSync(file)
  db.enableDefensive(false)
  const describe = (sql: string, ...given: string[]): void => {
    db.exec('PRAGMA writable_schema = ON')
    db.prepare(`UPDATE sqlite_schema SET sql = ${sql} WHERE name = 'document_list'`).run(...given)
    db.exec('PRAGMA writable_schema = RESET')
  }
  describe('sql || ?', ` AND list_key <> '${listKey}'`)
  db.exec('REINDEX document_list')
  describe(`substr(sql, 1, instr(sql, ' AND') - 1)`)
}

for (const when of ['start', 'scrub'] as const) {
  test(`an index that does not fit its table is built again by a ${when}`, async () => {
    const { folder } = await makeFolder(`reindex-${when}`)
    const page = { orgUid: 'org-one', kind: 'cycle', start: 0, limit: 100 }
    const file = join(folder, 'catalog.db')
    const told: string[] = []
    if (when === 'start') leaveOut(file, 'cycle 5')
    const store = await openCatalogStore({ folder, onDamage: (what) => told.push(what) })
    if (when === 'scrub') {
      leaveOut(file, 'cycle 5')
      const before = await store.list(page)
      assert.deepEqual([before.documents.length, before.totalCount], [11, 11])
      await store.scrub({ mayGoOn: async () => true, onChecked: () => {}, onDamage: () => {} })
    }
    const { documents, totalCount } = await store.list(page)
    await store.close()
    assert.deepEqual([documents.length, totalCount], [12, 12])
    assert.ok(
      told.some((what) => what.includes('built again')),
      told.join(),
    )
    const later: string[] = []
    await (await openCatalogStore({ folder, onDamage: (what) => later.push(what) })).close()
    assert.deepEqual(later, [])
  })
}

test('a damaged page of an index takes no page of others along when the index is made again', async () => {
  const { folder } = await makeFolder('malformed-index')
  const file = join(folder, 'catalog.db')
  const more = await openCatalogStore({ folder })
  // Enough that the index has pages below its root, which name each other.
  await more.commit(
    Array.from({ length: 2_000 }, (_, at): CatalogWrite => {
      const uid = `many-${String(at).padStart(40, '0')}`
      return {
        op: 'put',
        orgUid: '',
        kind: 'cycle',
        uid,
        listKey: uid,
        body: {},
        expectedRevision: 0,
      }
    }),
  )
  await more.close()
  const [first] = listPages(file, ['document_list']).filter(({ kind }) => kind === 'internal')
  // The page that the first cell of the root leads to becomes one of a table.
  const [other] = listPages(file, ['document']).filter(({ kind }) => kind === 'leaf')
  const bytes = readFileSync(file)
  const cell = first.offset + bytes.readUInt16BE(first.offset + 12)
  bytes.writeUInt32BE(other.offset / 4_096 + 1, cell)
  writeFileSync(file, bytes)
  const told: string[] = []
  const store = await openCatalogStore({ folder, onDamage: (what) => told.push(what) })
  assert.ok(
    told.some((what) => what.includes('built again')),
    told.join(),
  )
  const query = { orgUid: '', kind: 'cycle', start: 0, limit: 5_000 }
  assert.equal((await store.list(query)).documents.length, 2_012)
  await store.commit(
    Array.from({ length: 500 }, (_, at): CatalogWrite => {
      const body = { note: 'x'.repeat(500) }
      return { op: 'put', orgUid: '', kind: 'unit', uid: `u${at}`, body, expectedRevision: 0 }
    }),
  )
  assert.equal((await store.list(query)).documents.length, 2_012)
  await store.close()
  const later: string[] = []
  await (await openCatalogStore({ folder, onDamage: (what) => later.push(what) })).close()
  assert.deepEqual(later, [])
})
