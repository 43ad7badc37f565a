/** Indexes of catalog.db that lack a component, as a flipped bit leaves them in a catalog too large to be read at a start. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { openCatalog } from '../../src/catalog/index.ts'
import { openCatalogStore } from '../../src/store/embedded/index.ts'
import { CatalogDamaged } from '../../src/store/index.ts'
import { ownerOf, people } from '../support/catalog.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = temporaryFolder()

/** Takes rows out of an index, and leaves its definition as it was. */
function loseFromIndex(folder: string, index: string, kept: string): void {
  using db = new DatabaseSync(join(folder, 'catalog.db'))
  const select = db.prepare('SELECT sql FROM sqlite_schema WHERE name = ?')
  const sql = String(select.get(index)?.sql)
  const where = sql.includes(' WHERE ') ? `${sql} AND ${kept}` : `${sql} WHERE ${kept}`
  db.exec(`DROP INDEX ${index}; ${where}`)
  db.enableDefensive(false)
  db.exec('PRAGMA writable_schema = ON')
  db.prepare('UPDATE sqlite_schema SET sql = ? WHERE name = ?').run(sql, index)
  db.exec('PRAGMA writable_schema = RESET')
}

test('an ID that an index has lost is not given again, and a UID not answered as missing', async () => {
  const folder = join(root, 'lost')
  const reported: string[] = []
  const store = await openCatalogStore({ folder, onDamage: (what) => reported.push(what) })
  const catalog = await openCatalog({ store, people })
  const owner = ownerOf('org')
  const { uid } = await catalog.components.insert(owner, { id: 'taken' })
  const other = await catalog.components.insert(owner, { id: 'other' })
  loseFromIndex(folder, 'component_id', `id <> 'taken'`)
  loseFromIndex(folder, 'component_uid', `hex(uid) <> '${uid.replaceAll('-', '').toUpperCase()}'`)
  await assert.rejects(catalog.components.insert(owner, { id: 'taken' }), { code: 'claim_taken' })
  await assert.rejects(catalog.components.update(owner, other.uid, { id: 'taken' }), {
    code: 'claim_taken',
  })
  // What memory has of it would be answered.
  const later = await openCatalog({ store, people })
  await assert.rejects(later.components.get(owner, uid), CatalogDamaged)
  assert.equal((await later.components.get(owner, other.uid)).id, 'other')
  await store.close()
})
