import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { type EmbeddedSampleStore, openSampleStore } from '../../src/store/embedded/index.ts'
import type { ScrubFinding } from '../../src/store/ports/scrub-port.ts'
import { batch, stream } from '../contract/sample-store-contract.ts'
import { writeRowsOfFormat1 } from '../support/format-1-samples.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

async function fill() {
  const folder = temporaryFolder()
  const store = await openSampleStore({ folder })
  const rows = Array.from({ length: 3_000 }, (_, at) => [1, at * 1_000, at % 7] as const)
  await store.append(batch([...rows.map(([one, time, value]) => [one, time, value] as const)]))
  await store.append(batch([[2, 5, 'text']]))
  await store.watch([stream(1)])
  await store.sealAll()
  await store.append(batch([[3, 5, 1]]))
  await store.append(batch([[4, 5, 1]]))
  await store.close()
  return { folder, file: join(folder, 'samples.db') }
}

async function scrub(store: EmbeddedSampleStore, stepsMax = Number.POSITIVE_INFINITY) {
  const found: ScrubFinding[] = []
  let items = 0
  let steps = 0
  await store.scrub({
    mayGoOn: async () => {
      steps += 1
      return steps <= stepsMax
    },
    onChecked: (count) => {
      items += count
    },
    onDamage: (finding) => found.push(finding),
  })
  return { found, items, steps }
}

async function scrubOnce(folder: string) {
  const store = await openSampleStore({ folder })
  try {
    const scrubbed = await scrub(store)
    // A seal may have repaired what the scrub looked for, and reports that when it ends; some damage stops it.
    await store.sealAll().catch(() => {})
    return { ...scrubbed, damages: store.status().damages }
  } finally {
    await store.close()
  }
}

test('scrub() finds nothing in what is whole, in either format', async () => {
  const { folder, file } = await fill()
  const { found, items } = await scrubOnce(folder)
  assert.deepEqual(found, [])
  assert.ok(items >= 4)
  writeRowsOfFormat1(file)
  assert.deepEqual((await scrubOnce(folder)).found, [])
})

test('scrub() finds a row of a stream whose number is huge, without a step for each number below', async () => {
  const { folder, file } = await fill()
  const db = new DatabaseSync(file)
  db.exec(`UPDATE chunk SET stream = ${2 ** 31 - 7} WHERE stream = 2`)
  db.close()
  const { found, steps } = await scrubOnce(folder)
  assert.ok(found.length > 0)
  assert.ok(steps < 100, String(steps))
})

test('scrub() ends when it may not go on, and when the store closes', async () => {
  const { folder } = await fill()
  const store = await openSampleStore({ folder })
  assert.equal((await scrub(store, 0)).items, 0)
  assert.equal((await scrub(store, 2)).steps, 3)
  const pending = store.scrub({
    mayGoOn: async () => true,
    onChecked: () => {},
    onDamage: () => {},
  })
  await store.close()
  await pending
})

for (const [what, change] of [
  ['data', 'UPDATE chunk SET data = zeroblob(length(data)) WHERE stream = 1'],
  ['summary', 'UPDATE chunk SET summary = zeroblob(30) WHERE stream = 1'],
  ['last value', 'UPDATE chunk SET last_value = zeroblob(13) WHERE stream = 1'],
  ['stream', 'UPDATE chunk SET stream = 5 WHERE stream = 1'],
  ['count', 'UPDATE chunk SET count = count + 1 WHERE stream = 1'],
  ['row', 'DELETE FROM chunk WHERE stream = 1'],
  ['watched stream', 'DELETE FROM watched'],
  // Tables of the sealer are rebuilt by the first seal, and reported; a scrub may come too late for it.
  ['sums', 'UPDATE stream_sum SET sums = zeroblob(length(sums))'],
]) {
  test(`scrub() finds a ${what} that was changed`, async () => {
    const { folder, file } = await fill()
    {
      using db = new DatabaseSync(file)
      db.exec(change)
    }
    const { found, damages } = await scrubOnce(folder)
    assert.ok(found.length > 0 || what === 'sums')
    assert.ok(found.every(({ part }) => part === 'samples'))
    assert.ok(damages.length > 0)
  })
}

test('scrub() finds a changed frame of the journal behind which others are', async (context) => {
  const { folder } = await fill()
  const store = await openSampleStore({ folder })
  context.after(() => store.close())
  // What was there before is sealed once the thread has started: its segment is not the one to be changed.
  await store.sealAll()
  await store.append(batch([[3, 6, 1]]))
  await store.append(batch([[4, 6, 1]]))
  const journal = join(folder, 'journal')
  const name = readdirSync(journal).find((one) => {
    const bytes = readFileSync(join(journal, one))
    return one.endsWith('.seg') && bytes.subarray(32, 64).some((byte) => byte !== 0)
  })
  assert.ok(name)
  const bytes = readFileSync(join(journal, name))
  bytes[32 + 20] ^= 1
  writeFileSync(join(journal, name), bytes)
  const { found } = await scrub(store)
  assert.deepEqual(
    found.map(({ part }) => part),
    ['journal'],
  )
})
