import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openSampleStore } from '../../src/store/embedded/index.ts'
import type { TouchedSpan } from '../../src/store/index.ts'
import { batch, stream } from '../contract/sample-store-contract.ts'

test('touchedSince() tells of sealed segments after a restart, page by page', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-touched-'))
  let store = await openSampleStore({ folder, segmentBytes: 8192 })
  context.after(async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  })
  await store.watch([stream(1), stream(2)])
  // More segments than rows are kept of a stream: the oldest are told as one span.
  for (let round = 0; round < 20; round += 1) {
    await store.append(
      batch([
        [1, round * 100, 1],
        [2, round * 100 + 50, 1],
      ]),
    )
    await store.sealAll()
  }
  await store.close()
  store = await openSampleStore({ folder, segmentBytes: 8192 })
  const spans: TouchedSpan[] = []
  let cursor = 0
  for (;;) {
    const page = await store.touchedSince(cursor, 3)
    if (page.spans.length === 0) break
    assert.ok(page.cursor > cursor)
    cursor = page.cursor
    spans.push(...page.spans)
  }
  for (let round = 0; round < 20; round += 1) {
    const isTold = (handle: number, time: number): boolean =>
      spans.some((span) => span.handle === handle && span.from <= time && time < span.until)
    assert.ok(isTold(1, round * 100) && isTold(2, round * 100 + 50), `round ${round}`)
  }
  assert.ok(spans.length <= 2 * 17)
})
