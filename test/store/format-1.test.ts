import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { openSampleStore } from '../../src/store/embedded/index.ts'
import { batch, read, stream } from '../contract/sample-store-contract.ts'
import { writeRowsOfFormat1 } from '../support/format-1-samples.ts'

const TEXTS = ['5', '5.0', '1e5', ' 5', '+5', '.5', '0x1', '1e400', '9007199254740993', 'on']

test('rows of format 1 answer with what was put, mangled last values too', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-format-1-'))
  let store = await openSampleStore({ folder })
  context.after(async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  })
  const rows: [number, number, number | string][] = []
  for (const [index, text] of TEXTS.entries()) {
    rows.push([index + 1, 1_000, 'on'], [index + 1, 2_000, text])
  }
  for (let time = 0; time < 6_000; time += 1) rows.push([50, time, time / 4])
  await store.append(batch(rows))
  await store.sealAll()
  await store.append(batch([[50, 7_000, 1]]))
  await store.sealAll()
  const edges = Float64Array.of(0, 100, 8_000)
  const sum = (await store.fold(stream(50), edges)).sum
  await store.close()
  const file = join(folder, 'samples.db')
  writeRowsOfFormat1(file)
  {
    using db = new DatabaseSync(file)
    const kept = db.prepare('SELECT DISTINCT typeof(last_value) AS type FROM chunk ORDER BY 1')
    assert.deepEqual(
      kept.all().map(({ type }) => type),
      ['blob', 'integer', 'real', 'text'],
    )
  }
  for (const round of ['first', 'second']) {
    store = await openSampleStore({ folder })
    const handles = TEXTS.map((_, index) => stream(index + 1))
    const latest = await store.latest([...handles, stream(50)])
    assert.deepEqual(
      latest.map((sample) => sample?.value),
      [...TEXTS, 1],
      round,
    )
    assert.equal((await read(store, 50, { limit: 9_000 })).length, 6_001)
    assert.deepEqual((await store.fold(stream(50), edges)).sum, sum)
    assert.deepEqual(store.status().damages, [])
    // Rows of both formats lie beside each other from here on.
    await store.append(batch([[1, 500, 'between']]))
    await store.sealAll()
    await store.close()
  }
  store = await openSampleStore({ folder })
  assert.deepEqual(await read(store, 1), [
    [500, 'between'],
    [1_000, 'on'],
    [2_000, '5'],
  ])
})
