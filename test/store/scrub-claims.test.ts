import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { CatalogScrubTable } from '../../src/store/embedded/catalog/scrub/catalog-scrub-table.ts'
import { openCatalogStore } from '../../src/store/embedded/index.ts'
import type { CatalogWrite } from '../../src/store/index.ts'
import { componentFields, createOf, putComponent } from '../contract/catalog-components.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = temporaryFolder()

const COMPONENTS = 500
const ADDRESSES = 3
const ROWS_PER_STEP = 200

function cycle(uid: string): CatalogWrite {
  const claims = [`cycle_id:${uid}`, `cycle_long_id:${uid.padStart(100, 'x')}`]
  return { op: 'put', orgUid: 'org', kind: 'cycle', uid, claims, body: {}, expectedRevision: 0 }
}

/** Addresses of a component, short and long: of the latter only a hash is kept. */
function addressesOf(name: string): string[] {
  return [`mqtt:${name}`, `sn:${name}`, `a long address, that of ${name.padStart(100, '0')}`]
}

/** A folder with components that have addresses, and documents that have claims. */
async function makeFolder(name: string): Promise<string> {
  const folder = join(root, name)
  const store = await openCatalogStore({ folder })
  const ids = Array.from({ length: COMPONENTS }, (_, at) => `d${at}`)
  const each = ids.map((id): [string, string[]] => [id, ['s']])
  await store.commit([createOf(each, { addressedAs: ids.map(addressesOf) })])
  await store.commit(ids.map(cycle))
  await store.close()
  return folder
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

test('all claims of components and documents are checked, and damaged ones are reported one by one', async () => {
  const folder = await makeFolder('damaged')
  using db = new DatabaseSync(join(folder, 'catalog.db'))
  const whole = await checkClaims(new CatalogScrubTable(db))
  assert.deepEqual(whole, { damages: [], count: COMPONENTS * (ADDRESSES + 2) })
  for (const sort of ['<', '>']) {
    const claims = db.prepare(`SELECT scope, claim FROM claim WHERE ref ${sort} 0 ORDER BY claim`)
    const all = claims.all()
    const changeClaim = (at: number, set: string) => {
      const { scope, claim } = all[at]
      db.prepare(`UPDATE claim SET ${set} WHERE scope = ? AND claim = ?`).run(scope, claim)
    }
    changeClaim(700, 'crc = crc + 1')
    changeClaim(900, "claim = claim || 'x'")
    changeClaim(20, 'ref = ref + 1')
    changeClaim(30, 'ref = ref * 1000')
  }
  const { damages } = await checkClaims(new CatalogScrubTable(db))
  assert.equal(damages.length, 8)
  for (const what of damages) {
    assert.match(what, /^a claim of document -?\d+ .* (does not check|has no holder)$/)
  }
})

test('claims of a damaged component are reported with it', async () => {
  const folder = await makeFolder('holder')
  using db = new DatabaseSync(join(folder, 'catalog.db'))
  db.exec('UPDATE component SET created = created + 1 WHERE ref = 77')
  const { damages } = await checkClaims(new CatalogScrubTable(db))
  assert.equal(damages.length, ADDRESSES)
  for (const what of damages) assert.match(what, /^component "d76", number 77, .* does not check$/)
})

test('claims made and let go between two steps are no damage', async () => {
  const folder = await makeFolder('written')
  using db = new DatabaseSync(join(folder, 'catalog.db'))
  const table = new CatalogScrubTable(db)
  const store = await openCatalogStore({ folder })
  const { components } = await store.components.list({ orgUid: 'org', start: 0, limit: 100 })
  let step = 0
  const { damages } = await checkClaims(table, async () => {
    const { uid, id } = components[step]
    step += 1
    const addressedAs = step % 2 === 0 ? [] : addressesOf(`new-${step}`)
    const put = putComponent(uid, componentFields(id, { addressedAs }), { expectedRevision: 'any' })
    await store.commit([put, cycle(`new-${step}`)])
    const key = { op: 'delete', orgUid: 'org', kind: 'cycle', expectedRevision: 'any' } as const
    if (step % 2 === 0) await store.commit([{ ...key, uid: `d${step}` }])
  })
  assert.ok(step > 10)
  assert.deepEqual(damages, [])
  assert.deepEqual((await checkClaims(table)).damages, [])
  await store.close()
})
