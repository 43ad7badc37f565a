import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openSampleStore } from '../../src/store/embedded/index.ts'
import type { TouchedSpan } from '../../src/store/index.ts'
import { batch, stream } from '../contract/sample-store-contract.ts'
import { read } from '../support/samples.ts'

test('touchedSince() reports sealed segments after a restart, page by page', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-touched-'))
  let store = await openSampleStore({ folder, segmentBytes: 8192 })
  context.after(async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  })
  await store.watch([stream(1), stream(2)])
  // More segments than rows are kept of a stream: the oldest are reported as one span.
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

test('touchedSince() is exact for a reader that keeps up, however much was returned before', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-touched-'))
  const store = await openSampleStore({ folder })
  context.after(async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  })
  await store.watch([stream(1)])
  let cursor = 0
  const appends: Promise<void>[] = []
  // More than the log keeps one by one, each in a call of its own.
  for (let time = 0; time < 30_000; time += 1) {
    appends.push(store.append(batch([[1, time, 1]])))
    if (appends.length < 100) continue
    await Promise.all(appends.splice(0))
    const page = await store.touchedSince(cursor, 1_000)
    const from = Math.min(...page.spans.map((span) => span.from))
    assert.ok(from > time - 200, `after ${time}: from ${from}`)
    cursor = page.cursor
  }
  const all = await store.touchedSince(0, 100_000)
  assert.equal(Math.min(...all.spans.map((span) => span.from)), 0)
})

test('watch() finds what was replayed of streams that a killed process could not keep as watched', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-touched-'))
  let store = await openSampleStore({ folder })
  context.after(async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  })
  await store.watch([stream(2)])
  await store.append(
    batch([
      [1, 10, 1],
      [1, 20, 1],
      [2, 30, 1],
    ]),
  )
  await store.close()
  store = await openSampleStore({ folder })
  await store.watch([stream(1), stream(2)])
  const { spans } = await store.touchedSince(0, 10)
  const reported = spans.map(({ handle, from, until }) => [handle, from, until])
  assert.deepEqual(
    reported.sort((a, b) => a[0] - b[0]),
    [
      [1, 10, 21],
      [2, 30, 31],
    ],
  )
})

test('samples that a kill left are reported for streams that are watched later', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-touched-'))
  let store = await openSampleStore({ folder })
  context.after(async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  })
  await store.append(batch([[1, 100, 1]]))
  await store.close()
  store = await openSampleStore({ folder, isSealedWhenWatched: true })
  assert.equal(store.figures.backlog, 1)
  await store.watch([stream(1)])
  const span = { handle: stream(1), from: 100, until: 101, mayBeOlder: true }
  assert.deepEqual((await store.touchedSince(0, 10)).spans, [span])
  await store.sealAll()
  await store.close()
  store = await openSampleStore({ folder, isSealedWhenWatched: true })
  assert.deepEqual((await store.touchedSince(0, 10)).spans, [span])
  // Segments that are closed meanwhile are sealed behind those of before.
  await store.append(batch([[1, 200, 1]]))
  await store.sealAll()
  assert.equal((await read(store, stream(1))).length, 2)
})

test('samples sealed before watch() named a stream of watchAlso() are reported after a restart', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-touched-'))
  let store = await openSampleStore({ folder, isSealedWhenWatched: true })
  context.after(async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  })
  await store.watch([stream(2)])
  await store.append(batch([[1, 100, 1]]))
  await store.sealAll()
  store.watchAlso(stream(1))
  await store.append(batch([[1, 200, 1]]))
  await store.sealAll()
  await store.close()
  store = await openSampleStore({ folder, isSealedWhenWatched: true })
  await store.watch([stream(1), stream(2)])
  const reported = await store.touchedSince(0, 10)
  assert.deepEqual(reported.spans, [{ handle: stream(1), from: 200, until: 201, mayBeOlder: true }])
  // A stream that watch() has left out since is not reported.
  store.watchAlso(stream(3))
  await store.watch([stream(1)])
  await store.append(batch([[3, 300, 1]]))
  await store.sealAll()
  await store.close()
  store = await openSampleStore({ folder, isSealedWhenWatched: true })
  assert.deepEqual((await store.touchedSince(reported.cursor, 10)).spans, [])
})
