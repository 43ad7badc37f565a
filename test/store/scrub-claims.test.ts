import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { test } from 'node:test'
import { memberUidOf, newFamilyUid } from '../../src/base/index.ts'
import { CatalogScrubTable } from '../../src/store/embedded/catalog/scrub/catalog-scrub-table.ts'
import { openCatalogStore } from '../../src/store/embedded/index.ts'
import type { CatalogWrite } from '../../src/store/index.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = temporaryFolder()

const STREAMS = 1_500
const ROWS_PER_STEP = 200

function component(uid: string, id: string): CatalogWrite {
  return {
    ...{ op: 'put', orgUid: 'org', kind: 'component', uid, listKey: `/${id}`, index: `UTC\n${id}` },
    ...{ claims: [`component_id:${id}`], body: { id }, expectedRevision: 0 },
  }
}

function stream(parentUid: string, ordinal: number, id: string): CatalogWrite {
  const listKey = ordinal.toString(36).padStart(7, '0')
  return {
    ...{ op: 'put', orgUid: 'org', kind: 'stream', uid: memberUidOf(parentUid, ordinal) },
    ...{ parentUid, listKey, index: `000\n\n${id}`, claims: [`stream_id:${parentUid}:${id}`] },
    ...{ body: { id, valueType: 'DOUBLE' }, expectedRevision: 0 },
  }
}

/** A folder with some components of many streams each. */
async function makeFolder(name: string, idOf: (at: number) => string): Promise<string> {
  const folder = join(root, name)
  const store = await openCatalogStore({ folder })
  for (const at of [1, 2, 3]) {
    const uid = newFamilyUid()
    const ordinals = Array.from({ length: STREAMS }, (_, one) => one + 1)
    const streams = ordinals.map((ordinal) => stream(uid, ordinal, idOf(ordinal)))
    await store.commit([component(uid, `c${at}`), ...streams])
  }
  await store.close()
  return folder
}

/** A connection that counts the rows of families that are asked for one by one. */
function openCounted(folder: string) {
  const db = new DatabaseSync(join(folder, 'catalog.db'))
  const counts = { rows: 0 }
  const counted = new Proxy(db, {
    get(_, name) {
      if (name !== 'prepare') return Reflect.get(db, name).bind(db)
      return (sql: string) => {
        const statement = db.prepare(sql)
        if (!/FROM family(_page)?\s+WHERE ref = \?/.test(sql)) return statement
        const get = (...args: SQLInputValue[]) => {
          counts.rows += 1
          return statement.get(...args)
        }
        return { get, all: statement.all.bind(statement) }
      }
    },
  })
  return { db, counts, table: new CatalogScrubTable(counted) }
}

/** What the claims of a catalog come to. */
async function checkClaims(table: CatalogScrubTable, onStep = async () => {}) {
  const [damages, found]: [string[], { count: number }] = [[], { count: 0 }]
  let next: Parameters<typeof table.checkPage>[1]
  do {
    const page = table.checkPage('claim', next, ROWS_PER_STEP)
    damages.push(...page.damages)
    found.count += page.count
    next = page.next
    await onStep()
  } while (next !== undefined)
  return { damages, count: found.count }
}

for (const [kind, idOf] of [
  ['short', (at: number) => `s${at}`],
  // These are kept as hashes, those of all components mixed.
  ['long', (at: number) => `a stream with a long name, number ${at}`],
] as const) {
  test(`claims of streams with ${kind} IDs are checked by reading each row of a component a few times`, async () => {
    const folder = await makeFolder(kind, idOf)
    const { db, counts, table } = openCounted(folder)
    using _ = db
    const pages = db.prepare('SELECT count(*) AS pages FROM family_page').get()?.pages as number
    assert.ok(pages >= 30)
    const { damages, count } = await checkClaims(table)
    assert.deepEqual(damages, [])
    assert.ok(count > STREAMS * 3 - 3 * 130, `${count} claims`)
    assert.ok(counts.rows <= 3 * (pages + 3), `${counts.rows} rows for ${count} claims`)
  })
}

test('claims that do not check are told one by one, those of a damaged row with it', async () => {
  const folder = await makeFolder('damaged', (at) => `s${at}`)
  const { db, table } = openCounted(folder)
  using _ = db
  const change = (sql: string) => assert.ok(db.prepare(sql).run().changes > 0, sql)
  const claims = db.prepare('SELECT scope, claim FROM claim WHERE ref < 0 ORDER BY claim').all()
  const changeClaim = (at: number, set: string) => {
    const { scope, claim } = claims[at]
    db.prepare(`UPDATE claim SET ${set} WHERE scope = ? AND claim = ?`).run(scope, claim)
  }
  changeClaim(700, 'crc = crc + 1')
  changeClaim(900, "claim = claim || 'x'")
  const some = await checkClaims(table)
  assert.equal(some.damages.length, 2)
  for (const what of some.damages)
    assert.match(what, /^a claim of document -\d+ .* does not check$/)
  const [row] = db.prepare('SELECT ref, page FROM family_page ORDER BY ref, page LIMIT 1').all()
  change(`UPDATE family_page SET packed = substr(packed, 1, length(packed) - 2)
    WHERE ref = ${row.ref} AND page = ${row.page}`)
  const { damages } = await checkClaims(openCounted(folder).table)
  assert.ok(damages.length > STREAMS / 2 && damages.length < 2 * STREAMS, `${damages.length}`)
})

test('claims made and let go between two steps are no damage', async () => {
  const folder = await makeFolder('written', (at) => `s${at}`)
  const { db, table } = openCounted(folder)
  using _ = db
  const store = await openCatalogStore({ folder })
  const [{ uid }] = (await store.list({ orgUid: 'org', kind: 'component', start: 0, limit: 1 }))
    .documents
  let step = 0
  const { damages } = await checkClaims(table, async () => {
    step += 1
    await store.commit([stream(uid, STREAMS + step, `s${STREAMS + step}`)])
    if (step % 2 === 0) {
      const added = memberUidOf(uid, STREAMS + step)
      await store.commit([
        { op: 'delete', orgUid: 'org', kind: 'stream', uid: added, expectedRevision: 'any' },
      ])
    }
  })
  assert.deepEqual(damages, [])
  assert.deepEqual((await checkClaims(table)).damages, [])
  await store.close()
})
