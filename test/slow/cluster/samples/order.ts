import assert from 'node:assert/strict'
import { test } from 'node:test'
import { epochMs, ManualClock } from '../../../../src/base/index.ts'
import { batch, read, stream } from '../../../support/samples.ts'
import { askTables, OwnStreams, openProcess } from './home.ts'

/** Which of two calls is the later one, and what a clock that is off may not do. */
export function orderTests(skip: string | false): void {
  test('a call through one process is seen by the next read through another', {
    skip,
  }, async () => {
    const streams = new OwnStreams()
    const [one, other] = [await openProcess(), await openProcess()]
    const handle = streams.handleOf(1)
    for (let call = 0; call < 20; call += 1) {
      await (call % 2 === 0 ? one : other).append(batch([[handle, call, call]]))
      assert.equal((await read(call % 2 === 0 ? other : one, handle)).length, call + 1)
    }
    await one.close()
    await other.close()
  })

  test('of two overwrites the one with the later clock wins, or the one that had read the other', {
    skip,
  }, async () => {
    const streams = new OwnStreams()
    const handle = streams.handleOf(1)
    const behind = new ManualClock(streams.clock.now() - 1_000)
    const [ahead, late] = [await openProcess(streams.clock), await openProcess(behind)]
    await ahead.append(batch([[handle, 5, 'ahead']]))
    await late.append(batch([[handle, 5, 'late']]))
    assert.deepEqual(await read(ahead, handle), [[5, 'ahead']])
    assert.deepEqual(await read(late, handle), [[5, 'ahead']])
    await late.append(batch([[handle, 5, 'late, having read']]))
    assert.deepEqual(await read(ahead, handle), [[5, 'late, having read']])
    await ahead.remove({ handle: stream(handle), from: epochMs(0), until: epochMs(9) })
    assert.deepEqual(await read(late, handle), [])
    await ahead.close()
    await late.close()
  })

  test('what follows an acknowledged call wins with clocks as far apart as they may be', {
    skip,
  }, async () => {
    const streams = new OwnStreams()
    const handle = streams.handleOf(1)
    // Each at one end of the 2 s that it may be off the cluster's.
    const behind = new ManualClock(streams.clock.now() - 4_000)
    const [ahead, late] = [await openProcess(streams.clock), await openProcess(behind)]
    await ahead.append(batch([[handle, 5, 'ahead']]))
    assert.deepEqual(await read(late, handle), [[5, 'ahead']])
    await late.append(batch([[handle, 5, 'late, having read']]))
    assert.deepEqual(await read(ahead, handle), [[5, 'late, having read']])
    // A removal reads what it removes: nobody has to have looked before.
    behind.jump(1_000)
    streams.clock.jump(1_000)
    await ahead.append(batch([[handle, 6, 'ahead']]))
    await late.remove({ handle: stream(handle), from: epochMs(0), until: epochMs(9) })
    assert.deepEqual(await read(ahead, handle), [])
    await ahead.close()
    await late.close()
  })

  test('a process whose clock is moved stores nothing until it is right again', {
    skip,
  }, async () => {
    const streams = new OwnStreams()
    const { clock } = streams
    const handle = streams.handleOf(1)
    const store = await openProcess(clock)
    await store.append(batch([[handle, 1, 1]]))
    clock.jump(-60_000)
    await assert.rejects(store.append(batch([[handle, 2, 2]])), { code: 'read_only' })
    // So nothing is made for the sake of samples that are refused.
    await assert.rejects(async () => await store.keepRoom(), { code: 'read_only' })
    await assert.rejects(store.compaction.compact(handle), { code: 'read_only' })
    assert.match(store.status().readOnlyReason ?? '', /clock/)
    clock.jump(60_000)
    await store.append(batch([[handle, 3, 3]]))
    assert.equal(store.status().readOnlyReason, undefined)
    assert.deepEqual(await read(store, handle), [
      [1, 1],
      [3, 3],
    ])
    await store.close()
  })

  test('a write that took too long does not count, and is not shown once it was passed over', {
    skip,
  }, async () => {
    const streams = new OwnStreams()
    const { clock } = streams
    const handle = streams.handleOf(1)
    const store = await openProcess(clock)
    await store.append(batch([[handle, 1, 1]]))
    const slow = store.append(batch([[handle, 2, 2]]))
    clock.advance(25_000)
    await assert.rejects(slow, { code: 'overloaded' })
    await store.append(batch([[handle, 2, 'again']]))
    assert.deepEqual(await read(store, handle), [
      [1, 1],
      [2, 'again'],
    ])
    await store.close()
  })

  test('what a process that died had touched is told by another', { skip }, async () => {
    const streams = new OwnStreams()
    const { clock } = streams
    const handle = stream(streams.handleOf(1))
    const store = await openProcess(clock)
    await store.watch([handle])
    const { cursor } = await store.touchedSince(0, 1_000_000)
    const slow = store.append(batch([[handle, 2, 2]]))
    clock.advance(25_000)
    await assert.rejects(slow)
    assert.deepEqual((await store.touchedSince(cursor, 10)).spans, [])
    await store.close()
    clock.advance(60_000)
    const another = await openProcess(clock)
    assert.deepEqual((await another.touchedSince(cursor, 10)).spans, [
      { handle, from: 2, until: 3 },
    ])
    const intents = await askTables('SELECT spans FROM sample_intent')
    assert.equal(intents.length, 0)
    await another.close()
  })
}
