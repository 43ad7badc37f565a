import assert from 'node:assert/strict'
import { test } from 'node:test'
import { epochMs, ManualClock } from '../../../../src/base/index.ts'
import { packSpans } from '../../../../src/store/cassandra/samples/touched-entries.ts'
import { Random, testSeeds } from '../../../support/random.ts'
import { batch, read, stream } from '../../../support/samples.ts'
import { askPostgres, askTables, OwnStreams, openProcess, orderOf, reportEnds } from './home.ts'

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

  const [seed] = testSeeds(1)
  test(`what follows an acknowledged call wins, whatever the clocks show (WEIR_TEST_SEED=${seed})`, {
    skip,
  }, async () => {
    const streams = new OwnStreams()
    const handle = streams.handleOf(1)
    const now = streams.clock.now()
    const clocks = [new ManualClock(now), new ManualClock(now - 50_000), new ManualClock(now + 1e9)]
    const stores = await Promise.all(clocks.map((clock) => openProcess(clock)))
    const random = new Random(seed)
    for (let call = 0; call < 60; call += 1) {
      const store = random.pick(stores)
      if (random.integer(0, 10) === 0) {
        await store.remove({ handle: stream(handle), from: epochMs(0), until: epochMs(9) })
        assert.deepEqual(await read(random.pick(stores), handle), [])
      }
      await store.append(batch([[handle, 5, call]]))
      random.pick(clocks).jump(random.integer(-100_000, 100_000))
      assert.deepEqual(await read(random.pick(stores), handle), [[5, call]])
      if (random.integer(0, 3) > 0) continue
      await reportEnds()
      await random.pick(stores).compaction.compact(handle)
      assert.deepEqual(await read(random.pick(stores), handle), [[5, call]])
    }
    for (const store of stores) await store.close()
  })

  test('a call that runs while others are merged counts in its place', { skip }, async () => {
    const streams = new OwnStreams()
    const handle = streams.handleOf(1)
    const [slow, other] = [await openProcess(streams.clock), await openProcess(streams.clock)]
    const written = Promise.withResolvers<void>()
    const ended = orderOf(slow).write(async () => await written.promise)
    await other.append(batch([[handle, 1, 'after']]))
    await reportEnds()
    await other.compaction.compact(handle)
    const runs = 'SELECT key FROM sample WHERE stream = ? AND section = 2'
    assert.equal((await askTables(runs, [handle])).length, 1, 'it is not merged yet')
    written.resolve()
    await ended
    await reportEnds()
    await other.compaction.compact(handle)
    assert.deepEqual(await read(slow, handle), [[1, 'after']])
    await slow.close()
    await other.close()
  })

  test('a process that stood still for long gets no answer for what nobody waited for', {
    skip,
  }, async () => {
    const streams = new OwnStreams()
    const handle = streams.handleOf(1)
    const store = await openProcess(streams.clock)
    await store.append(batch([[handle, 1, 1]]))
    const { writer } = orderOf(store)
    const late = orderOf(store).write(async () => {
      await askPostgres(`DELETE FROM sample_writer WHERE writer = ${writer}`)
    })
    await assert.rejects(late, { code: 'store_away', status: 503 })
    await store.append(batch([[handle, 2, 2]]))
    assert.notEqual(orderOf(store).writer, writer)
    assert.deepEqual(await read(store, handle), [
      [1, 1],
      [2, 2],
    ])
    await store.close()
  })

  test('stamps never go back, though PostgreSQL forgets them', { skip }, async () => {
    const streams = new OwnStreams()
    const handle = streams.handleOf(1)
    const store = await openProcess(streams.clock)
    await store.append(batch([[handle, 1, 'first']]))
    await reportEnds()
    await store.compaction.compact(handle)
    await store.close()
    await askPostgres('UPDATE stamp SET value = 0')
    const next = await openProcess(streams.clock)
    await next.append(batch([[handle, 1, 'second']]))
    assert.deepEqual(await read(next, handle), [[1, 'second']])
    await next.close()
  })

  test('processes that write in turn share the stamps that one of them reserved', {
    skip,
  }, async () => {
    const streams = new OwnStreams()
    const stores = [await openProcess(streams.clock), await openProcess(streams.clock)]
    const write = async (value: number) => {
      for (const store of stores) await store.append(batch([[streams.handleOf(1), 1, value]]))
    }
    await write(0)
    const reserved = `SELECT value FROM meta WHERE name = 'last_stamp'`
    const before = await askTables(reserved)
    for (let value = 1; value < 10; value += 1) await write(value)
    assert.deepEqual(await askTables(reserved), before)
    assert.deepEqual(await read(stores[0], streams.handleOf(1)), [[1, 9]])
    for (const store of stores) await store.close()
  })

  test('changes of a process that died are reported by another', { skip }, async () => {
    const streams = new OwnStreams()
    const { clock } = streams
    const handle = stream(streams.handleOf(1))
    const store = await openProcess(clock)
    await store.watch([handle])
    const { cursor } = await store.touchedSince(0, 1_000_000)
    const { writer } = orderOf(store)
    const died = orderOf(store).write(async (place) => {
      const spans = packSpans([{ handle, from: epochMs(2), until: epochMs(3) }])
      const cql = 'INSERT INTO sample_intent (shard, stamp, writer, spans) VALUES (?, ?, ?, ?)'
      const key = [place.stamp % 16, BigInt(place.stamp), place.writer]
      await askTables(cql, [...key, Buffer.from(spans)], place.stamp)
      await askPostgres(`DELETE FROM sample_writer WHERE writer = ${writer}`)
    })
    await assert.rejects(died)
    await store.close()
    const another = await openProcess(clock)
    assert.deepEqual((await another.touchedSince(cursor, 10)).spans, [
      { handle, from: 2, until: 3 },
    ])
    const intents = await askTables('SELECT spans FROM sample_intent')
    assert.equal(intents.length, 0)
    await another.close()
  })
}
