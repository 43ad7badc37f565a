import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { newComponentUid, newUid } from '../../src/base/index.ts'
import { openChecked } from '../../src/store/embedded/catalog/catalog-checks.ts'
import { openCatalogFile } from '../../src/store/embedded/catalog/open-catalog-file.ts'
import { CatalogScrub } from '../../src/store/embedded/catalog/scrub/catalog-scrub.ts'
import { replaceIndexes } from '../../src/store/embedded/catalog/scrub/catalog-structure.ts'
import { openCatalogStore } from '../../src/store/embedded/index.ts'
import { CatalogDamaged, type CatalogWrite, type ScrubFinding } from '../../src/store/index.ts'
import { createOf, putStream, streamFields } from '../contract/catalog-components.ts'
import { listPages, type TreePage } from '../support/flip-page.ts'
import { isNightly, Random, roundsBy, testSeeds } from '../support/random.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import {
  type Contents,
  isDamage,
  makeContents,
  ORGS,
  ReadTrial,
  readsOver,
} from './catalog-contents.ts'

const root = temporaryFolder()

const FLIPS = roundsBy({ everyRun: 40, nightly: 600 })

async function makeFolder(name: string): Promise<{ folder: string; contents: Contents }> {
  const folder = join(root, name)
  return { folder, contents: await makeContents(folder) }
}

/** Changes a value in the place of a flipped bit; SQLite keeps its indexes in step. */
function spoil(folder: string, sql: string): void {
  using db = new DatabaseSync(join(folder, 'catalog.db'))
  assert.ok(db.prepare(sql).run().changes > 0, sql)
}

/** What a read says that may be refused because of damage. */
function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (isDamage(error)) return undefined
    throw error
  }
}

const TREES = [
  'component',
  'component_uid',
  'component_id',
  'component_list',
  'text',
  'text_text',
  'stream',
  'stream_uid',
  'stream_series',
  'document',
  'claim',
  'claim_holder',
  'change',
]

/** A bit of what a page holds: most of a small catalog is room that nobody uses. */
function usedBit(random: Random, pages: readonly TreePage[]): number {
  const { offset, bytes, structureBytes, usedBytes } = random.pick(pages)
  const inStructure = random.integer(0, structureBytes + usedBytes) < structureBytes
  const at = inStructure
    ? random.integer(0, structureBytes)
    : random.integer(bytes - usedBytes, bytes)
  return (offset + at) * 8 + random.integer(0, 8)
}

test('no flipped bit of catalog.db makes the catalog answer wrongly, and none that shows goes untold', async () => {
  const { folder, contents } = await makeFolder('flips')
  const file = join(folder, 'catalog.db')
  const pages = listPages(file, TREES)
  const whole = readFileSync(file)
  const copy = join(root, 'flipped.db')
  const counts = { refused: 0, reported: 0, harmless: 0 }
  for (const seed of testSeeds(1)) {
    const random = new Random(seed)
    for (let round = 0; round < FLIPS; round += 1) {
      const anywhere = random.integer(0, whole.length * 8)
      const bit = round % 4 === 0 ? anywhere : usedBit(random, pages)
      const bytes = Buffer.from(whole)
      bytes[bit >> 3] ^= 1 << (bit & 7)
      writeFileSync(copy, bytes)
      for (const ending of ['-wal', '-shm']) rmSync(copy + ending, { force: true })
      try {
        counts[await outcomeOf(copy, contents)] += 1
      } catch (error) {
        const what = `seed ${seed}, round ${round}, byte ${bit >> 3}, bit ${bit & 7}`
        throw new Error(what, { cause: error })
      }
    }
  }
  assert.ok(counts.reported > FLIPS / 4, JSON.stringify(counts))
})

/** Reads everything as a start of a large catalog does, and again after the check of a small one. */
async function outcomeOf(
  file: string,
  contents: Contents,
): Promise<'refused' | 'reported' | 'harmless'> {
  const opened = unlessDamaged(() => openChecked(() => openCatalogFile(file)))
  if (opened === undefined) return 'refused'
  opened.close()
  await readAll(file, contents)
  const reported = await checkFile(file)
  const trial = await readAll(file, contents)
  const seen = trial?.reported ?? []
  if (trial !== undefined && trial.missing.length > 0) {
    assert.ok(reported.length + seen.length > 0, `${trial.missing} went untold`)
  }
  return reported.length > 0 ? 'reported' : 'harmless'
}

/** Holds all reads against what was written; undefined when the file cannot be read. */
async function readAll(
  file: string,
  contents: Contents,
): Promise<
  { missing: readonly string[]; refused: number; reported: readonly string[] } | undefined
> {
  const reported: string[] = []
  using db = new DatabaseSync(file, { readOnly: true })
  const reads = unlessDamaged(() =>
    openChecked(() => readsOver(db, file, (what) => reported.push(what))),
  )
  if (reads === undefined) return undefined
  const trial = new ReadTrial(contents, reads)
  await trial.run()
  return { missing: trial.missing, refused: trial.refused, reported }
}

/** The result of the check at a start. */
async function checkFile(file: string): Promise<string[]> {
  const reported: string[] = []
  using db = new DatabaseSync(file, { readOnly: true })
  await new CatalogScrub(db, file).runAtOnce({
    onDamage: (what) => reported.push(what),
    async rebuildIndexes(tables) {
      using writing = new DatabaseSync(file)
      writing.exec('BEGIN IMMEDIATE')
      replaceIndexes(writing, tables)
      writing.exec('COMMIT')
    },
  })
  return reported
}

/** Of each table all columns; where one is null, or may not be, what it becomes. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  component: [
    'ref',
    'scope',
    'uid',
    'id',
    'zone',
    'crc',
    'revision',
    'name',
    'folder',
    'owner',
    'created',
    'last_ordinal',
    'addresses',
    'more',
    'rest_crc',
  ],
  stream: [
    'component',
    'ordinal',
    'handle',
    'id',
    'type',
    'place',
    'grid',
    'uid',
    'crc',
    'revision',
    'name',
    'labels',
    'series',
    'series_hash',
    'more',
    'rest_crc',
  ],
  text: ['number', 'text', 'crc'],
  claim: ['scope', 'claim', 'ref', 'crc'],
  document: [
    'ref',
    'scope',
    'kind',
    'uid',
    'parent_uid',
    'revision',
    'list_key',
    'expires_at_ms',
    'body',
  ],
  tally: ['scope', 'kind', 'documents', 'bytes', 'crc'],
  change: ['cursor', 'scope', 'changes', 'crc'],
  lease: ['holder', 'fence', 'expires_at_ms', 'crc'],
}

/** Values that a column gets in turn: another of its sort, one of another sort, none. */
const OTHERS = [
  (column: string) => `CASE typeof(${column}) WHEN 'integer' THEN ${column} + 1
    WHEN 'null' THEN 7 WHEN 'blob' THEN randomblob(16) ELSE ${column} || 'x' END`,
  (column: string) => `CASE typeof(${column}) WHEN 'text' THEN CAST(${column} AS BLOB)
    WHEN 'blob' THEN CAST(${column} AS TEXT) WHEN 'null' THEN 'x' ELSE ${column} + 1000000 END`,
  () => 'NULL',
] as const

/** The columns that identify rows of a table. */
const KEYS: Readonly<Record<string, string>> = {
  stream: 'component, ordinal',
  claim: 'scope, claim',
  tally: 'scope, kind',
  lease: 'name',
}

/** Does something to tables while SQLite knows of no index: so these stay as they are. */
function withoutIndexes<T>(db: DatabaseSync, work: () => T): T {
  db.enableDefensive(false)
  const made = `FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL`
  db.exec(`PRAGMA writable_schema = ON; CREATE TEMP TABLE kept AS SELECT * ${made}; DELETE ${made}`)
  db.exec('PRAGMA writable_schema = RESET')
  try {
    return work()
  } finally {
    db.exec('PRAGMA writable_schema = ON; INSERT INTO sqlite_schema SELECT * FROM kept')
    db.exec('PRAGMA writable_schema = RESET')
  }
}

/** Damages one row of a table, in the middle of it; false when the table does not take the value. */
function spoilColumn(file: string, table: string, column: string, to: string): boolean {
  using db = new DatabaseSync(file)
  const key = KEYS[table] ?? 'rowid'
  // One that has a value, if any has.
  const order = `ORDER BY ${column} IS NULL, ${key}`
  const count = `SELECT coalesce(nullif(count(${column}), 0), count(*)) / 2 FROM ${table}`
  const where = `(${key}) = (SELECT ${key} FROM ${table} ${order} LIMIT 1 OFFSET (${count}))`
  const row = db.prepare(`SELECT quote(${column}) AS shown, ${key} FROM ${table} WHERE ${where}`)
  const { shown, ...keys } = row.get() ?? {}
  const places = Object.keys(keys).map((name) => `"${name}" = ?`)
  const update = `UPDATE OR IGNORE ${table} SET ${column} = ${to}
    WHERE ${places.join(' AND ')} RETURNING quote(${column}) AS shown`
  try {
    const after = withoutIndexes(db, () => db.prepare(update).get(...Object.values(keys)))
    return after !== undefined && after.shown !== shown
  } catch (error) {
    // The number of a row is a number.
    if (/datatype mismatch/.test((error as Error).message)) return false
    throw error
  }
}

for (const [table, columns] of Object.entries(COLUMNS)) {
  test(`a row of table ${table} with a wrong checksum is reported and refused, and all others are served`, async () => {
    const { folder, contents } = await makeFolder(`rows-${table}`)
    const file = join(folder, 'catalog.db')
    const spare = join(root, `spare-${table}.db`)
    copyFileSync(file, spare)
    let tried = 0
    const [seed] = testSeeds(1)
    const random = new Random(seed)
    for (const column of columns) {
      for (const to of isNightly ? OTHERS : [OTHERS[0], random.pick(OTHERS.slice(1))]) {
        copyFileSync(spare, file)
        if (!spoilColumn(file, table, column, to(column))) continue
        tried += 1
        const what = `seed ${seed}: ${table}.${column} = ${to(column)}`
        await assertReported({ folder, contents }, { table, what }).catch((cause: unknown) => {
          throw new Error(what, { cause })
        })
      }
    }
    // Some take no other value: keys that are there, and what may not be null.
    assert.ok(tried >= columns.length - 2, `${tried} tried`)
  })
}

/** What reads may not answer that are about one row. */
const UNANSWERED_MAX = 40
/** Damage that only a scrub reports. */
const MADE_UP_FOR = ['tally', 'lease']

async function assertReported(
  { folder, contents }: { folder: string; contents: Contents },
  { table, what }: { table: string; what: string },
): Promise<void> {
  const file = join(folder, 'catalog.db')
  await readAll(file, contents)
  const reported: string[] = []
  await (await openCatalogStore({ folder, onDamage: (one) => reported.push(one) })).close()
  assert.ok(reported.length > 0, `${what} is not told`)
  const trial = await readAll(file, contents)
  assert.ok(trial !== undefined)
  const unanswered = trial.missing.length + trial.refused
  if (!MADE_UP_FOR.includes(table)) assert.ok(unanswered > 0, `${what} is served`)
  // A text can be a time zone, or an owner, that many share.
  if (table !== 'text') assert.ok(unanswered <= UNANSWERED_MAX, `${unanswered} are not answered`)
  const again: string[] = []
  await (await openCatalogStore({ folder, onDamage: (one) => again.push(one) })).close()
  assert.ok(again.length > 0, `${what} is reported once`)
}

test('a document that does not check is not built upon, and expires by nobody', async () => {
  const { folder, contents } = await makeFolder('writes')
  spoil(folder, `UPDATE document SET expires_at_ms = 5 WHERE uid = 'session-1-org-one'`)
  const store = await openCatalogStore({ folder })
  const before = contents.documents.get('org-one session session-1-org-one')
  assert.ok(before !== undefined)
  const write = { ...before, op: 'put', claims: [], expectedRevision: 'any' } as const
  await assert.rejects(store.commit([write]), CatalogDamaged)
  assert.equal(await store.purgeExpired(1_000, 100), 0)
  const { records } = await store.commit([{ ...write, uid: 'other', expectedRevision: 0 }])
  assert.equal(records[0].revision, 1)
  await store.close()
})

test('a component or stream that does not check is not built upon, and its ID is not given again', async () => {
  const { folder, contents } = await makeFolder('built-upon')
  const ofId = (id: string) =>
    [...contents.components.values()].find((one) => one.orgUid === 'org-one' && one.id === id)
  const [component, grown] = [ofId('device-2'), ofId('grown')]
  assert.ok(component !== undefined && grown !== undefined)
  const stream = [...contents.streams.values()].find((one) => one.componentUid === grown.uid)
  assert.ok(stream !== undefined)
  const { ref } = refOf(folder, component.uid)
  spoilRows(folder, `UPDATE component SET id = 'other', name = 'Other' WHERE ref = ${ref}`)
  spoilRows(folder, `UPDATE stream SET type = type + 1 WHERE handle = ${stream.handle}`)
  const store = await openCatalogStore({ folder })
  const any = { expectedRevision: 'any' } as const
  const writes: CatalogWrite[] = [
    { ...component, op: 'put_component', ...any },
    { ...component, op: 'delete', ...any },
    { ...component, op: 'expect', ...any },
    { ...stream, op: 'put_stream', ...any },
    { ...stream, op: 'delete', ...any },
    putStream(
      newUid(),
      { ...streamFields('new'), componentUid: component.uid },
      { orgUid: 'org-one' },
    ),
  ]
  for (const write of writes) await assert.rejects(store.commit([write]), CatalogDamaged, write.op)
  const { orgUid } = component
  const isTaken = { name: 'CatalogConflict', claim: 'component_id:device-2' }
  await assert.rejects(store.commit([createOf([['device-2', ['s']]], { orgUid })]), isTaken)
  await store.commit([createOf([['other', ['s']]], { orgUid })])
  await store.commit([
    putStream(newUid(), { ...streamFields('more'), componentUid: grown.uid }, { orgUid }),
  ])
  await store.close()
})

/** Changes rows while their indexes stay as they are. */
function spoilRows(folder: string, sql: string): void {
  using db = new DatabaseSync(join(folder, 'catalog.db'))
  withoutIndexes(db, () => assert.ok(db.prepare(sql).run().changes > 0, sql))
}

/** The number of a component in the tables. */
function refOf(folder: string, uid: string): { ref: number; scope: number } {
  using db = new DatabaseSync(join(folder, 'catalog.db'))
  const bytes = Buffer.from(uid.replaceAll('-', ''), 'hex')
  const row = db.prepare('SELECT ref, scope FROM component WHERE uid = ?').get(bytes)
  return row as { ref: number; scope: number }
}

const losses: Readonly<Record<string, string>> = {
  'does not check': `UPDATE component SET zone = zone + 1 WHERE ref = :ref`,
  'has bytes for its ID': `UPDATE component SET id = CAST(id AS BLOB) WHERE ref = :ref`,
  'is missing': `DELETE FROM component WHERE ref = :ref`,
  'has another number': `UPDATE component SET ref = 1000 WHERE ref = :ref`,
  'is in another organization': `UPDATE component SET scope = scope - 1 WHERE ref = :ref`,
}

for (const [how, sql] of Object.entries(losses)) {
  test(`a scan reports that a component ${how}, with its ID and streams, and returns all others`, async () => {
    const { folder, contents } = await makeFolder(`lost ${how}`)
    const all = [...contents.components.values()]
    const component = all.find((one) => one.orgUid === 'org-one' && one.id === 'moved')
    assert.ok(component !== undefined)
    const { ref } = refOf(folder, component.uid)
    spoilRows(folder, sql.replace(':ref', String(ref)))
    const store = await openCatalogStore({ folder })
    const found: string[] = []
    const { lost } = await store.components.scan({
      onCount: () => {},
      onComponents: ({ ids, orgUids }) => {
        for (const [at, id] of ids.entries()) found.push(`${orgUids[at]} ${id}`)
      },
      onStreams: () => {},
    })
    await store.close()
    assert.ok(lost !== undefined)
    assert.equal(found.length, all.length - 1)
    assert.ok(!found.includes('org-one moved'))
    const isLost = (id: string) => lost.ofComponentId('org-one', id) !== undefined
    // Of a row that is not in its place nobody knows which it was: it may be any.
    const isGone = /^DELETE|SET ref/.test(sql)
    assert.deepEqual([isLost('moved'), isLost('device-2'), isLost('new')], [true, isGone, isGone])
    const own = [...contents.streams.values()].find((one) => one.componentUid === component.uid)
    assert.ok(own !== undefined)
    const uids = [component.uid, own.uid, all[0].uid, newUid(), newComponentUid()]
    assert.deepEqual(
      uids.map((uid) => lost.ofUid(uid) !== undefined),
      [true, true, isGone, isGone, isGone],
    )
    assert.ok(lost.ofOrganization('org-one') !== undefined)
    assert.equal(lost.ofOrganization('org-two') !== undefined, isGone)
  })
}

test('a scan reports which component has lost a stream, also when the row says another', async () => {
  const { folder, contents } = await makeFolder('lost streams')
  const spare = join(root, 'spare-streams.db')
  copyFileSync(join(folder, 'catalog.db'), spare)
  const [stream, other] = [...contents.streams.values()].filter(({ id }) => id === 'temp')
  const { ref } = refOf(folder, stream.componentUid)
  for (const set of [
    'type = type + 1',
    'handle = handle + 1',
    'id = CAST(id AS BLOB)',
    "id = id || 'x'",
    'component = component + 500',
    'ordinal = 20',
    'place = 9',
  ]) {
    copyFileSync(spare, join(folder, 'catalog.db'))
    spoilRows(folder, `UPDATE stream SET ${set} WHERE component = ${ref} AND ordinal = 1`)
    const store = await openCatalogStore({ folder })
    const handles: number[] = []
    const { lost } = await store.components.scan({
      onCount: () => {},
      onComponents: () => {},
      onStreams: (streams) => handles.push(...streams.handles),
    })
    await store.close()
    assert.equal(handles.length, contents.streams.size - 1, set)
    const isLost = ({ uid }: { uid: string }) => lost?.ofUid(uid) !== undefined
    assert.ok(isLost(stream) && isLost({ uid: stream.componentUid }), set)
    assert.ok(!isLost(other) && !isLost({ uid: newUid() }), set)
  }
})

for (const table of ['component', 'stream']) {
  test(`a scan hands out what it can read of table ${table}, and tells that the rest is lost`, async () => {
    const folder = join(root, `unreadable-${table}`)
    const file = join(folder, 'catalog.db')
    const first = await openCatalogStore({ folder })
    const ids = Array.from({ length: 3_000 }, (_, at) => `d${at}`)
    await first.commit([createOf(ids.map((id) => [id, ['s', 't']]))])
    await first.close()
    const leaves = listPages(file, [table]).filter(({ kind }) => kind === 'leaf')
    const bytes = readFileSync(file)
    // No kind of page has this number.
    bytes[leaves[leaves.length - 3].offset] = 0xff
    writeFileSync(file, bytes)
    const reported: string[] = []
    const store = await openCatalogStore({ folder, onDamage: (what) => reported.push(what) })
    const counts = { component: 0, stream: 0 }
    const { lost } = await store.components.scan({
      onCount: () => {},
      onComponents: ({ refs }) => {
        counts.component += refs.length
      },
      onStreams: ({ handles }) => {
        counts.stream += handles.length
      },
    })
    await store.close()
    assert.ok(reported.some((what) => what.includes('malformed')))
    const all = { component: 3_000, stream: 6_000 }
    const count = counts[table as 'component' | 'stream']
    const wanted = all[table as 'component' | 'stream']
    assert.ok(count > wanted / 2 && count < wanted, `${count} of ${wanted}`)
    assert.ok(lost?.ofComponentId('org', 'd2999') !== undefined)
    assert.ok(lost.ofUid(newComponentUid()) !== undefined)
    assert.ok(lost.ofOrganization('org') !== undefined)
  })
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
  const rows = Object.keys(COLUMNS).map((table) => countOf(folder, table))
  assert.equal(
    whole.items,
    rows.reduce((sum, count) => sum + count, 0),
  )
  for (const table of Object.keys(COLUMNS)) {
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
    /: component .*number \d+.* does not check/,
    /: stream number \d+ of .* does not check/,
    /text number \d+ does not check/,
    /(cycle|user|session)-\d.* does not check/,
    /claim/,
    /change \d/,
    /count of/,
    /lease/,
  ]) {
    assert.match(text, pattern)
  }
})

function countOf(folder: string, table: string): number {
  using db = new DatabaseSync(join(folder, 'catalog.db'), { readOnly: true })
  return Number(db.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.count)
}

test('an empty text that became an empty blob does not check', async () => {
  const wrongs = [
    `UPDATE document SET parent_uid = x'' WHERE parent_uid = ''`,
    `UPDATE component SET folder = x'' WHERE folder = ''`,
  ]
  for (const [at, sql] of wrongs.entries()) {
    const { folder } = await makeFolder(`blobs-${at}`)
    spoil(folder, sql)
    const reported: string[] = []
    await (await openCatalogStore({ folder, onDamage: (what) => reported.push(what) })).close()
    assert.ok(
      reported.some((what) => what.includes('does not check')),
      sql,
    )
  }
  const { folder } = await makeFolder('blob-organization')
  spoil(folder, `UPDATE scope SET org_uid = x'' WHERE org_uid = ''`)
  await assert.rejects(openCatalogStore({ folder }), /organization number \d does not check/)
})

test('a scrub ends on request', async () => {
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

/** Leaves rows out of an index: for a moment SQLite believes that it has another condition. */
function leaveOut(file: string, index: string, condition: string): void {
  using db = new DatabaseSync(file)
  db.enableDefensive(false)
  const describe = (sql: string, ...given: string[]): void => {
    db.exec('PRAGMA writable_schema = ON')
    db.prepare(`UPDATE sqlite_schema SET sql = ${sql} WHERE name = ?`).run(...given, index)
    db.exec('PRAGMA writable_schema = RESET')
  }
  const { sql } = db.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').get(index) ?? {}
  const joint = /\bWHERE\b/.test(String(sql)) ? 'AND' : 'WHERE'
  describe('sql || ?', ` ${joint} ${condition}`)
  db.exec(`REINDEX ${index}`)
  describe('?', String(sql))
}

const LEFT_OUT = [
  ['document_list', `list_key <> 'cycle 5'`],
  ['component_list', `coalesce(name, id) <> 'device-2'`],
  ['component_id', `id <> 'device-2'`],
] as const

for (const when of ['start', 'scrub'] as const) {
  for (const [index, condition] of LEFT_OUT) {
    test(`an index that does not fit its table is built again by a ${when}: ${index}`, async () => {
      const { folder, contents } = await makeFolder(`reindex-${when}-${index}`)
      const file = join(folder, 'catalog.db')
      const reported: string[] = []
      if (when === 'start') leaveOut(file, index, condition)
      const store = await openCatalogStore({ folder, onDamage: (what) => reported.push(what) })
      if (when === 'scrub') {
        leaveOut(file, index, condition)
        const before = await readAll(file, contents)
        assert.ok(before !== undefined && before.missing.length > 0)
        await store.scrub({ mayGoOn: async () => true, onChecked: () => {}, onDamage: () => {} })
      }
      await store.close()
      const after = await readAll(file, contents)
      assert.deepEqual([after?.missing, after?.refused], [[], 0])
      assert.ok(
        reported.some((what) => what.includes('built again')),
        reported.join(),
      )
      const later: string[] = []
      await (await openCatalogStore({ folder, onDamage: (what) => later.push(what) })).close()
      assert.deepEqual(later, [])
    })
  }
}

test('indexes of tables with rows that do not check are left as they are, those of others are built again', async () => {
  const { folder, contents } = await makeFolder('some-indexes')
  const file = join(folder, 'catalog.db')
  leaveOut(file, ...LEFT_OUT[0])
  spoilRows(folder, `UPDATE component SET id = 'other' WHERE id = 'device-2'`)
  const reported: string[] = []
  const store = await openCatalogStore({ folder, onDamage: (what) => reported.push(what) })
  assert.ok(reported.some((what) => what.includes('built again')))
  for (const orgUid of ORGS) {
    const { documents } = await store.list({ orgUid, kind: 'cycle', start: 0, limit: 100 })
    assert.equal(documents.length, 8)
    await assert.rejects(store.components.list({ orgUid, start: 0, limit: 100 }), CatalogDamaged)
    // The index has the ID that the row lacks.
    const found = await store.components.findById(orgUid, 'device-2')
    assert.deepEqual(found, contents.components.get(found?.uid ?? ''))
  }
  await store.close()
})

test('a damaged page of an index takes no page of others along when the index is made again', async () => {
  for (const index of ['document_list', 'component_list']) {
    const { folder } = await makeFolder(`malformed-${index}`)
    const file = join(folder, 'catalog.db')
    const more = await openCatalogStore({ folder })
    // Enough that the index has pages below its root, which name each other.
    const names = Array.from({ length: 2_000 }, (_, at) => `many-${String(at).padStart(40, '0')}`)
    await more.commit(names.map((uid) => cycle(uid, {})))
    await more.commit([createOf(names.map((id) => [id, []]))])
    await more.close()
    const [first] = listPages(file, [index]).filter(({ kind }) => kind === 'internal')
    // The page that the first cell of the root leads to becomes one of a table.
    const [other] = listPages(file, ['document']).filter(({ kind }) => kind === 'leaf')
    const bytes = readFileSync(file)
    const cell = first.offset + bytes.readUInt16BE(first.offset + 12)
    bytes.writeUInt32BE(other.offset / 4_096 + 1, cell)
    writeFileSync(file, bytes)
    const reported: string[] = []
    const store = await openCatalogStore({ folder, onDamage: (what) => reported.push(what) })
    assert.ok(
      reported.some((what) => what.includes('built again')),
      reported.join(),
    )
    const page = { orgUid: 'org', start: 0, limit: 5_000 }
    const assertListed = async () => {
      assert.equal((await store.list({ ...page, kind: 'cycle' })).documents.length, 2_000)
      assert.equal((await store.components.list(page)).components.length, 2_000)
    }
    await assertListed()
    const note = 'x'.repeat(500)
    await store.commit(Array.from({ length: 500 }, (_, at) => cycle(`u${at}`, { note })))
    await store.commit(
      Array.from({ length: 500 }, (_, at): CatalogWrite => {
        return { op: 'delete', orgUid: 'org', kind: 'cycle', uid: `u${at}`, expectedRevision: 1 }
      }),
    )
    await assertListed()
    await store.close()
    const later: string[] = []
    await (await openCatalogStore({ folder, onDamage: (what) => later.push(what) })).close()
    assert.deepEqual(later, [])
  }
})

function cycle(uid: string, body: { note?: string }): CatalogWrite {
  return { op: 'put', orgUid: 'org', kind: 'cycle', uid, listKey: uid, body, expectedRevision: 0 }
}
