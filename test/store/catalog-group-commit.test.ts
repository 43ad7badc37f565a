import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { countedUidOf, newUid } from '../../src/base/index.ts'
import { openCatalogStore } from '../../src/store/embedded/index.ts'
import { CatalogConflict, type StoredStream } from '../../src/store/index.ts'
import { createOf, putStream, streamFields } from '../contract/catalog-components.ts'
import { scanAll } from '../contract/catalog-scanned.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = temporaryFolder()

const WAL_HEADER = 32
const FRAME_HEADER = 24
const PAGE = 4_096

/** The transactions in a write-ahead log, which is empty at a start: the last frame of each has the size of the database. */
function transactionsIn(folder: string): number {
  const log = readFileSync(join(folder, 'catalog.db-wal'))
  const salt = log.readUInt32BE(16)
  let count = 0
  for (let at = WAL_HEADER; at + FRAME_HEADER <= log.length; at += FRAME_HEADER + PAGE) {
    // Frames with another salt are left over from before the log was restarted.
    if (log.readUInt32BE(at + 8) !== salt) break
    if (log.readUInt32BE(at + 4) !== 0) count += 1
  }
  return count
}

test('calls that create at the same time share transactions, and one that conflicts spoils no other', async () => {
  const folder = join(root, 'shared')
  const store = await openCatalogStore({ folder })
  const calls = 200
  const gateway = createOf([['gateway', []]])
  await store.commit([gateway])
  const creations = Array.from({ length: calls }, (_, at) => {
    // Every tenth wants an ID that the one before it has.
    const id = `d${at % 10 === 9 ? at - 1 : at}`
    // Every tenth is a stream of a component that is there.
    const fields = { ...streamFields(id), componentUid: gateway.uid }
    return at % 10 === 5 ? putStream(newUid(), fields) : createOf([[id, ['s', 't']]])
  })
  const outcomes = await Promise.allSettled(creations.map((write) => store.commit([write])))
  const transactions = transactionsIn(folder)
  assert.ok(transactions < calls, `${transactions} transactions for ${calls} calls`)
  const handles = new Map<string, number>()
  for (const [at, outcome] of outcomes.entries()) {
    const { op, uid } = creations[at]
    if (at % 10 === 9) {
      assert.ok(outcome.status === 'rejected' && outcome.reason instanceof CatalogConflict)
      assert.deepEqual(
        [outcome.reason.key.uid, outcome.reason.claim],
        [uid, `component_id:d${at - 1}`],
      )
      continue
    }
    assert.ok(outcome.status === 'fulfilled')
    const { records, firstHandles } = outcome.value
    if (op === 'put_stream') handles.set(uid, (records[0] as StoredStream).handle)
    else {
      handles.set(countedUidOf(uid, 1), firstHandles[0])
      handles.set(countedUidOf(uid, 2), firstHandles[0] + 1)
    }
  }
  const made = (calls / 10) * (8 * 2 + 1)
  assert.equal(new Set(handles.values()).size, made)
  const usage = await store.usage('org')
  assert.deepEqual(
    usage.map(({ documents }) => documents),
    [calls * 0.8 + 1, made],
  )
  await store.close()
  // What was counted and numbered is what a start finds.
  const reported: string[] = []
  const again = await openCatalogStore({ folder, onDamage: (what) => reported.push(what) })
  const { streams } = await scanAll(again)
  await again.close()
  assert.deepEqual(new Map([...streams].map(([uid, { handle }]) => [uid, handle])), handles)
  assert.deepEqual(reported, [])
})
