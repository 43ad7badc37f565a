import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { openChecked } from '../../src/store/embedded/catalog/catalog-checks.ts'
import { CatalogReadTable } from '../../src/store/embedded/catalog/catalog-read-table.ts'
import { openCatalogFile } from '../../src/store/embedded/catalog/open-catalog-file.ts'
import { CatalogScrub } from '../../src/store/embedded/catalog/scrub/catalog-scrub.ts'
import { replaceIndexes } from '../../src/store/embedded/catalog/scrub/catalog-structure.ts'
import { FolderDamaged, openCatalogStore } from '../../src/store/embedded/index.ts'
import {
  CatalogConflict,
  CatalogDamaged,
  type CatalogDocument,
  type CatalogStore,
  type PutDocument,
} from '../../src/store/index.ts'
import { putsOfFleet } from '../../src/store/puts-of-fleet.ts'
import { fleetOf } from '../support/fleets.ts'
import { listPages } from '../support/flip-page.ts'
import { Random, roundsOf, testSeeds } from '../support/random.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = temporaryFolder()

const IDS = Array.from({ length: 200 }, (_, at) => `d${at + 100}`)
const ALL = { orgUid: 'org', kind: 'component', start: 0, limit: 1_000 }

function change(folder: string, sql: string): void {
  using db = new DatabaseSync(join(folder, 'catalog.db'))
  assert.ok(db.prepare(sql).run().changes > 0, sql)
}

/** A folder with a fleet of which something is damaged, opened. */
async function openDamaged(name: string, sql: string) {
  const folder = join(root, name)
  const first = await openCatalogStore({ folder })
  const fleet = fleetOf(IDS)
  await first.commit([fleet])
  await first.commit([fleetOf(IDS, { orgUid: 'other' })])
  await first.close()
  change(folder, sql)
  const told: string[] = []
  const store = await openCatalogStore({ folder, onDamage: (what) => told.push(what) })
  const heads = putsOfFleet(fleet).filter(({ kind }) => kind === 'component')
  return { store, told, heads }
}

/** The outcomes of asking for the holders of all IDs. */
async function holdersOf(store: CatalogStore, heads: readonly PutDocument[]) {
  const counts = { found: 0, refused: 0, missing: 0 }
  for (const { orgUid, uid, claims = [] } of heads) {
    const found = await store.findByClaim(orgUid, claims[0]).catch((error: unknown) => error)
    if (found instanceof CatalogDamaged) counts.refused += 1
    else if (found === undefined) counts.missing += 1
    else {
      assert.equal((found as PutDocument).uid, uid)
      counts.found += 1
    }
  }
  return counts
}

/** All that a walk in small steps shows. */
async function walkAll(store: CatalogStore): Promise<CatalogDocument[]> {
  const found: CatalogDocument[] = []
  let after: string | undefined
  do {
    const step = await store.walk({ orgUid: 'org', kind: 'component', after, limit: 30 })
    found.push(...step.documents)
    after = step.next
  } while (after !== undefined)
  return found
}

const SECOND = '(SELECT number FROM roll WHERE scope = 1 ORDER BY first LIMIT 1 OFFSET 1)'
const wrongs = {
  entries: `UPDATE roll SET packed = CAST(replace(CAST(packed AS TEXT), 'd1', 'd2') AS BLOB)`,
  end: 'UPDATE roll SET packed = substr(packed, 1, length(packed) - 1)',
  text: 'UPDATE roll SET packed = CAST(packed AS TEXT)',
  first: `UPDATE roll SET first = first || '0'`,
  count: 'UPDATE roll SET count = count - 1',
  starts: `UPDATE roll SET starts = '["component_id:","//"]'`,
  organization: 'UPDATE roll SET scope = 2',
}

for (const [name, sql] of Object.entries(wrongs)) {
  test(`a page of the roll that does not check is told and not built upon: ${name}`, async () => {
    const { store, told, heads } = await openDamaged(name, `${sql} WHERE number = ${SECOND}`)
    assert.ok(told.length > 0)
    for (const head of heads) assert.deepEqual((await store.get(head))?.body, head.body)
    const { found, refused, missing } = await holdersOf(store, heads)
    assert.ok(found >= 100, `${found} found`)
    assert.ok(refused + missing >= 1 && refused + missing <= 100, `${refused} ${missing}`)
    const { documents, totalCount } = await store.list({ ...ALL, leavesOutDamaged: true })
    assert.ok(documents.length >= 100 && documents.length < 200, `${documents.length} listed`)
    assert.ok(totalCount >= documents.length && totalCount <= 200)
    const walked = await walkAll(store)
    assert.deepEqual(
      walked.map(({ uid }) => uid),
      documents.map(({ uid }) => uid),
      'a walk leaves out what the list does',
    )
    const other = await store.list({ ...ALL, orgUid: 'other', limit: 9, start: 190 })
    if (name !== 'organization') assert.equal(other.documents.length, 9)
    await store.close()
  })
}

for (const [name, order] of [
  ['last', 'DESC'],
  ['first', 'ASC'],
]) {
  test(`lists and walks go on beside the ${name} page of a roll that does not check`, async () => {
    const page = `(SELECT number FROM roll WHERE scope = 1 ORDER BY first ${order} LIMIT 1)`
    const { store, heads } = await openDamaged(
      `lists-${name}`,
      `${wrongs.end} WHERE number = ${page}`,
    )
    const { documents, totalCount } = await store.list({ ...ALL, leavesOutDamaged: true })
    assert.ok(documents.length >= 100 && documents.length < 200, `${documents.length} listed`)
    assert.equal(totalCount, 200)
    assert.deepEqual(await walkAll(store), documents)
    const listKeyPrefix = heads[0].listKey?.slice(0, 1)
    const narrowed = await store.list({ ...ALL, listKeyPrefix, leavesOutDamaged: true })
    assert.deepEqual(narrowed, { documents, totalCount })
    await assert.rejects(store.list(ALL), CatalogDamaged)
    await store.close()
  })
}

test('of an organization whose only page does not check, all else is listed, and nothing is made', async () => {
  const { store, heads } = await openDamaged('only', `${wrongs.end} WHERE scope = 1`)
  const { orgUid, kind } = heads[0]
  const list = { ...ALL, leavesOutDamaged: true }
  assert.deepEqual(await store.list(list), { documents: [], totalCount: 200 })
  assert.deepEqual(await walkAll(store), [])
  for (const head of heads) assert.deepEqual((await store.get(head))?.body, head.body)
  const fresh = { ...heads[0], uid: heads[0].uid.replace(/^.{8}/, '00000000'), claims: ['fresh'] }
  await assert.rejects(store.commit([fresh]), CatalogDamaged)
  assert.equal((await store.list({ orgUid, kind, start: 0, limit: 0 })).totalCount, 200)
  await store.close()
})

test('nothing is made where a page that does not check may have it, all else is', async () => {
  const sql = `UPDATE roll SET packed = substr(packed, 1, length(packed) - 1) WHERE number = ${SECOND}`
  const { store, heads } = await openDamaged('refused', sql)
  const lost: PutDocument[] = []
  for (const head of heads) {
    const found = await store.findByClaim('org', head.claims?.[0] ?? '').catch(() => undefined)
    if (found === undefined) lost.push(head)
  }
  assert.ok(lost.length > 0)
  const [{ body }] = lost
  const again = (id: string) => store.commit([fleetOf([id])])
  await assert.rejects(again(String(body.id)), CatalogDamaged)
  await assert.rejects(again(`${body.id}x`), CatalogDamaged)
  await assert.rejects(
    store.commit([fleetOf([...lost.map((head) => `${head.body.id}y`)])]),
    CatalogDamaged,
  )
  await assert.rejects(again('d100'), CatalogConflict)
  await assert.rejects(store.list(ALL), CatalogDamaged)
  await again('a')
  await store.commit([fleetOf(IDS.map((id) => `x${id}`))])
  await store.close()
})

test('a start that cannot read a page of components names the file', async () => {
  const folder = join(root, 'unreadable')
  const file = join(folder, 'catalog.db')
  const first = await openCatalogStore({ folder })
  await first.commit([fleetOf(IDS)])
  await first.close()
  const leaf = listPages(file, ['family']).find(({ kind }) => kind === 'leaf')
  assert.ok(leaf !== undefined)
  const bytes = readFileSync(file)
  // No kind of page has this number.
  bytes[leaf.offset] = 0xff
  writeFileSync(file, bytes)
  const store = await openCatalogStore({ folder })
  const scan = store.scanIndex(['component', 'stream'], { onRow: () => {} })
  await assert.rejects(scan, (error) => {
    assert.ok(error instanceof FolderDamaged)
    assert.ok(error.message.startsWith(`${file} cannot be read`), error.message)
    return true
  })
  await store.close()
})

test('a component of the roll whose row does not check is named by it', async () => {
  const damaged = `UPDATE family SET packed = replace(packed, '"d250"', '"d999"')
    WHERE scope = 1 AND packed LIKE '%"d250"%'`
  const { store, told, heads } = await openDamaged('named', damaged)
  const { lost } = await store.scanIndex(['component', 'stream'], { onRow: () => {} })
  const isLost = (id: string) => lost?.ofClaim('org', `component_id:${id}`) !== undefined
  assert.deepEqual([isLost('d250'), isLost('d251'), isLost('new')], [true, false, false])
  assert.ok(
    told.some((what) => what.includes('component "d250"')),
    told.join(),
  )
  const { found, refused } = await holdersOf(store, heads)
  assert.deepEqual([found, refused], [199, 1])
  const { documents, totalCount } = await store.list({ ...ALL, leavesOutDamaged: true })
  assert.deepEqual([documents.length, totalCount], [199, 200])
  await store.close()
})

test('a page of the roll that is gone is told by a start that reads all back', async () => {
  const { store, told } = await openDamaged('gone', `DELETE FROM roll WHERE number = ${SECOND}`)
  assert.ok(
    told.some((what) => /^component number \d+ of organization org is not listed$/.test(what)),
  )
  await store.close()
})

/** Every answer about a fleet that is missing; a wrong one fails the test. */
function findMissing(table: CatalogReadTable, heads: readonly PutDocument[]): number {
  const attempt = <T>(read: () => T): T | 'damaged' => {
    try {
      return read()
    } catch (error) {
      if (error instanceof CatalogDamaged) return 'damaged'
      throw error
    }
  }
  let missing = 0
  for (const { orgUid, uid, claims = [] } of heads) {
    const found = attempt(() => table.selectByClaim(orgUid, claims[0]))
    if (found === undefined) missing += 1
    else if (found !== 'damaged') assert.equal(found.uid, uid)
  }
  const byUid = new Map(heads.map((head) => [head.uid, head]))
  for (const descending of [false, true]) {
    const query = { ...ALL, descending, leavesOutDamaged: true }
    const page = attempt(() => table.selectPage(query))
    if (page === 'damaged') continue
    const keys = page.documents.map((found) => {
      assert.deepEqual(found.body, byUid.get(found.uid)?.body)
      return found.listKey
    })
    assert.deepEqual(keys, descending ? keys.toSorted().toReversed() : keys.toSorted())
    if (keys.length < heads.length) missing += 1
  }
  return missing
}

test('no flipped bit makes the roll answer wrongly, and none that hides a component goes untold', async () => {
  const folder = join(root, 'flips')
  const first = await openCatalogStore({ folder })
  const fleet = fleetOf(IDS)
  await first.commit([fleet])
  await first.close()
  const heads = putsOfFleet(fleet).filter(({ kind }) => kind === 'component')
  const pages = listPages(join(folder, 'catalog.db'), ['roll', 'roll_first'])
  const whole = readFileSync(join(folder, 'catalog.db'))
  const copy = join(root, 'flipped.db')
  let shown = 0
  const flips = roundsOf(150)
  for (const seed of testSeeds(1)) {
    const random = new Random(seed)
    for (let round = 0; round < flips; round += 1) {
      const { offset, bytes: size } = pages[round % pages.length]
      const bit = (offset + random.integer(0, size)) * 8 + random.integer(0, 8)
      const bytes = Buffer.from(whole)
      bytes[bit >> 3] ^= 1 << (bit & 7)
      writeFileSync(copy, bytes)
      for (const ending of ['-wal', '-shm']) rmSync(copy + ending, { force: true })
      const { told, missing } = await outcomeOf(copy, heads).catch((cause: unknown) => {
        throw new Error(`seed ${seed}, byte ${bit >> 3}, bit ${bit & 7}`, { cause })
      })
      assert.ok(missing === 0 || told.length > 0, `seed ${seed}, byte ${bit >> 3}: ${missing}`)
      if (told.length > 0) shown += 1
    }
  }
  assert.ok(shown > flips / 10, `${shown} of ${flips} were told`)
})

/** What a start tells of a file, and how much is not found in it after that. */
async function outcomeOf(file: string, heads: readonly PutDocument[]) {
  const told: string[] = []
  try {
    using db = openChecked(() => {
      openCatalogFile(file).close()
      return new DatabaseSync(file, { readOnly: true })
    })
    const table = openChecked(() => new CatalogReadTable(db, (what) => told.push(what)))
    await new CatalogScrub(db, file).runAtOnce({
      onDamage: (what) => told.push(what),
      async rebuildIndexes() {
        using writing = new DatabaseSync(file)
        writing.exec('BEGIN IMMEDIATE')
        replaceIndexes(writing)
        writing.exec('COMMIT')
      },
    })
    return { told, missing: findMissing(table, heads) }
  } catch (error) {
    if (!(error instanceof CatalogDamaged || error instanceof FolderDamaged)) throw error
    return { told: [error.message], missing: 0 }
  }
}
