import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openCatalogStore } from '../../src/store/embedded/index.ts'
import { CatalogConflict, type PutDocument } from '../../src/store/index.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = temporaryFolder()

const WAL_HEADER = 32
const FRAME_HEADER = 24
const PAGE = 4_096

/** The transactions in a write-ahead log, which is empty at a start: the last frame of each tells the size of the database. */
function transactionsIn(folder: string): number {
  const log = readFileSync(join(folder, 'catalog.db-wal'))
  const salt = log.readUInt32BE(16)
  let count = 0
  for (let at = WAL_HEADER; at + FRAME_HEADER <= log.length; at += FRAME_HEADER + PAGE) {
    // Frames with another salt are left over from before the log was last begun anew.
    if (log.readUInt32BE(at + 8) !== salt) break
    if (log.readUInt32BE(at + 4) !== 0) count += 1
  }
  return count
}

function put(kind: string, uid: string, more: Partial<PutDocument> = {}): PutDocument {
  return { op: 'put', orgUid: 'org', kind, uid, body: {}, expectedRevision: 0, ...more }
}

test('calls that create at the same time share transactions, and one that conflicts spoils no other', async () => {
  const folder = join(root, 'shared')
  const store = await openCatalogStore({ folder })
  const calls = 200
  const outcomes = await Promise.allSettled(
    Array.from({ length: calls }, (_, at) =>
      store.commit([
        // Every tenth wants an ID that the one before it has.
        put('component', `c${at}`, { claims: [`component_id:${at % 10 === 9 ? at - 1 : at}`] }),
        put('stream', `s${at}`, { parentUid: `c${at}`, index: 'packed' }),
      ]),
    ),
  )
  const transactions = transactionsIn(folder)
  assert.ok(transactions < calls, `${transactions} transactions for ${calls} calls`)
  const handles = new Set<number | undefined>()
  for (const [at, outcome] of outcomes.entries()) {
    if (at % 10 === 9) {
      assert.ok(outcome.status === 'rejected' && outcome.reason instanceof CatalogConflict)
    } else {
      assert.ok(outcome.status === 'fulfilled')
      handles.add(outcome.value[1].handle)
    }
  }
  const made = calls * 0.9
  assert.equal(handles.size, made)
  const page = await store.list({ orgUid: 'org', kind: 'stream', start: 0, limit: 1 })
  assert.equal(page.totalCount, made)
  await store.close()
  // What was counted and numbered is what a start finds.
  const told: string[] = []
  const again = await openCatalogStore({ folder, onDamage: (what) => told.push(what) })
  const { isWhole } = await again.scanIndex(['stream'], { onRow: () => {} })
  await again.close()
  assert.deepEqual([isWhole, told], [true, []])
})
