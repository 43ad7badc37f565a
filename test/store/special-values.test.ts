/** Special values in the embedded store: what is sealed of them, damage, and what streams without them pay. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { epochMs } from '../../src/base/index.ts'
import { HeadGeneration } from '../../src/store/embedded/head/head-generation.ts'
import { type EmbeddedSampleStore, openSampleStore } from '../../src/store/embedded/index.ts'
import type { ScrubFinding } from '../../src/store/ports/scrub-port.ts'
import { batch, read, readSpecials, stream } from '../support/samples.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const COMPANION_BASE = 2 ** 30

function rowsOf(folder: string): { stream: number; count: number }[] {
  using db = new DatabaseSync(join(folder, 'samples.db'))
  const rows = db.prepare('SELECT stream, count FROM chunk ORDER BY stream').all()
  return rows.map((row) => ({ ...row })) as { stream: number; count: number }[]
}

async function scrub(store: EmbeddedSampleStore): Promise<ScrubFinding[]> {
  const found: ScrubFinding[] = []
  const onDamage = (finding: ScrubFinding) => found.push(finding)
  await store.scrub({ mayGoOn: async () => true, onChecked: () => {}, onDamage })
  return found
}

test('special values are sealed in a companion, and rows of other streams stay as they are', async () => {
  const folder = temporaryFolder()
  const store = await openSampleStore({ folder })
  await store.append(
    batch([
      [1, 10, 1],
      [2, 10, 1],
    ]),
  )
  await store.sealAll()
  assert.deepEqual(rowsOf(folder), [
    { stream: 1, count: 1 },
    { stream: 2, count: 1 },
  ])
  await store.appendSpecials(batch([[1, 20, 2]]))
  await store.sealAll()
  assert.deepEqual(await scrub(store), [])
  await store.close()
  assert.deepEqual(rowsOf(folder), [
    { stream: 1, count: 1 },
    { stream: 2, count: 1 },
    { stream: COMPANION_BASE + 1, count: 1 },
  ])
})

test('a segment without special values holds nothing for them', () => {
  const generation = new HeadGeneration(1)
  generation.put(5, 10, 1, undefined)
  const bytes = generation.bytes
  generation.remove(5, 0, 5)
  assert.deepEqual([...generation.specialHandles], [])
  assert.equal(generation.bytes, bytes)
  generation.putSpecial(1_000_000, 10, 2)
  assert.ok(generation.bytes < bytes + 200_000, 'columns by handle would take 20 MB')
})

test('removals of sealed special values hold over seals, restarts, and later values', async () => {
  const folder = temporaryFolder()
  let store = await openSampleStore({ folder })
  const rows = Array.from({ length: 2_000 }, (_, at) => [1, at * 10, at % 3] as const)
  await store.appendSpecials(batch(rows))
  await store.sealAll()
  await store.remove({ handle: stream(1), from: epochMs(100), until: epochMs(19_000) })
  await store.append(batch([[1, 500, 7]]))
  await store.appendSpecials(batch([[1, 600, 2]]))
  const expected = [
    ...rows.filter(([, time]) => time < 100).map(([, time, code]) => [time, code]),
    [600, 2],
    ...rows.filter(([, time]) => time >= 19_000).map(([, time, code]) => [time, code]),
  ]
  const check = async () => {
    assert.deepEqual(await readSpecials(store, 1), expected)
    assert.deepEqual(await read(store, 1), [[500, 7]])
  }
  await check()
  await store.close()
  store = await openSampleStore({ folder })
  await check()
  await store.sealAll()
  await check()
  await store.forget([stream(1)])
  await store.sealAll()
  await store.close()
  assert.deepEqual(rowsOf(folder), [])
})

test('a damaged row of a companion is reported with its stream, and numbers are served', async () => {
  const folder = temporaryFolder()
  const filled = await openSampleStore({ folder })
  await filled.append(batch([[7, 10, 1]]))
  await filled.appendSpecials(batch([[7, 20, 2]]))
  await filled.sealAll()
  await filled.close()
  {
    using db = new DatabaseSync(join(folder, 'samples.db'))
    const where = `WHERE stream = ${COMPANION_BASE + 7}`
    const row = db.prepare(`SELECT data FROM chunk ${where}`).get() as { data: Uint8Array }
    const data = row.data.slice()
    data[data.length - 6] ^= 1
    db.prepare(`UPDATE chunk SET data = ? ${where}`).run(data)
  }
  const store = await openSampleStore({ folder })
  const found = await scrub(store)
  assert.deepEqual(await readSpecials(store, 7), [])
  assert.deepEqual(await read(store, 7), [[10, 1]])
  const { damages } = store.status()
  await store.close()
  assert.ok(found.length > 0 || damages.length > 0)
  for (const { handles } of damages) assert.deepEqual(handles, [7])
})

test('nobody puts to a companion, or removes from it, by its number', async () => {
  const store = await openSampleStore({ folder: temporaryFolder() })
  await store.appendSpecials(batch([[1, 20, 2]]))
  const companion = COMPANION_BASE + 1
  await assert.rejects(store.append(batch([[companion, 30, 5]])), /BUG/)
  await assert.rejects(store.appendSpecials(batch([[companion, 30, 5]])), /BUG/)
  const all = { from: epochMs(0), until: epochMs(100) }
  await assert.rejects(store.remove({ handle: stream(companion), ...all }), /BUG/)
  assert.deepEqual(await readSpecials(store, 1), [[20, 2]])
  await store.close()
})
