import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openSampleStore } from '../../src/store/embedded/index.ts'
import { readRecords } from '../../src/store/embedded/journal/record.ts'
import { scanSegment } from '../../src/store/embedded/journal/scan.ts'
import type { StreamHandle } from '../../src/store/index.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

test('append() of many texts is refused whole when a stream is forgotten while they are encoded', async () => {
  const folder = temporaryFolder()
  const store = await openSampleStore({ folder })
  const count = 50_000
  const appended = store.append({
    count,
    removals: [],
    handles: Uint32Array.from({ length: count }, (_, at) => 1 + (at % 2)),
    times: Float64Array.from({ length: count }, (_, at) => at),
    numbers: new Float64Array(count),
    texts: Array.from({ length: count }, (_, at) => `text ${at}`),
  })
  await Promise.all([
    store.forget([1 as StreamHandle]),
    assert.rejects(appended, { code: 'conflict' }),
  ])
  await store.close()
  const written = new Map<string, number>()
  for (const name of readdirSync(join(folder, 'journal'))) {
    const bytes = new Uint8Array(readFileSync(join(folder, 'journal', name)))
    for (const { records } of scanSegment(bytes).frames) {
      readRecords(records, ({ kind, batch }) => {
        for (const handle of batch.handles) {
          const key = `${kind} ${handle}`
          written.set(key, (written.get(key) ?? 0) + 1)
        }
      })
    }
  }
  assert.deepEqual([...written], [['forget 1', 1]])
})
