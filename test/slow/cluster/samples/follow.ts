import assert from 'node:assert/strict'
import { test } from 'node:test'
import { epochMs } from '../../../../src/base/index.ts'
import type { SampleStore, StreamFollow, TouchedSpan } from '../../../../src/store/index.ts'
import { batch, stream } from '../../../support/samples.ts'
import { eventually } from '../../../support/settle.ts'
import { OwnStreams, openProcess } from './home.ts'

/** The reported changes, by stream, once all are reported. */
async function taken(follow: StreamFollow, isAll: (spans: TouchedSpan[]) => boolean) {
  const spans: TouchedSpan[] = []
  await eventually(() => {
    spans.push(...follow.take())
    assert.ok(isAll(spans), JSON.stringify(spans))
  })
  return spans.map(({ handle, from, until }) => [handle, from, until])
}

/** Waits until a stream is followed, which begins with a poll, and the sample put for this is reported. */
async function begins(follow: StreamFollow, store: SampleStore, handle: number): Promise<void> {
  const isReported = (time: number) => follow.take().some(({ until }) => until > time)
  let time = 1_000_000
  await eventually(async () => {
    await store.append(batch([[handle, time++, 0]]))
    assert.ok(isReported(1_000_000 - 1))
  })
  await store.append(batch([[handle, 2_000_000, 0]]))
  await eventually(() => assert.ok(isReported(2_000_000 - 1)))
}

/** Streams that one process follows while others put to them. */
export function followTests(skip: string | false): void {
  test('followers of streams receive changes of other processes, once', { skip }, async () => {
    const streams = new OwnStreams()
    const [one, other] = [await openProcess(), await openProcess()]
    const [first, second, third] = [1, 2, 3].map((at) => streams.handleOf(at))
    const follow = other.follow()
    follow.add(stream(first))
    follow.add(stream(second))
    for (const handle of [first, second]) await begins(follow, one, handle)
    await one.append(
      batch([
        [first, 10, 1],
        [first, 30, 2],
        [third, 1, 1],
      ]),
    )
    assert.deepEqual(await taken(follow, (spans) => spans.length === 1), [[first, 10, 31]])
    await one.append(batch([[second, 7, 'text']]))
    assert.deepEqual(await taken(follow, (spans) => spans.length === 1), [[second, 7, 8]])
    // Reported changes are not reported again with the next.
    await one.remove({ handle: stream(first), from: epochMs(15), until: epochMs(40) })
    assert.deepEqual(await taken(follow, (spans) => spans.length === 1), [[first, 15, 40]])
    // This process's own changes are reported at once, and not again by a poll.
    await other.append(batch([[first, 50, 5]]))
    assert.deepEqual(
      follow.take().map(({ from, until }) => [from, until]),
      [[50, 51]],
    )
    follow.delete(stream(first))
    await one.append(batch([[first, 60, 6]]))
    await one.append(batch([[second, 8, 'more']]))
    assert.deepEqual(await taken(follow, (spans) => spans.length === 1), [[second, 8, 9]])
    follow.close()
    await one.close()
    await other.close()
  })

  test('late calls, and a stream with many calls, are reported, too', { skip }, async () => {
    const streams = new OwnStreams()
    const [one, other] = [await openProcess(), await openProcess()]
    const handle = streams.handleOf(1)
    const follow = other.follow()
    follow.add(stream(handle))
    await begins(follow, one, handle)
    const calls = Array.from({ length: 60 }, (_, at) => one.append(batch([[handle, at, at]])))
    await Promise.all(calls)
    const isAll = (spans: TouchedSpan[]) =>
      Math.min(...spans.map(({ from }) => from)) === 0 &&
      Math.max(...spans.map(({ until }) => until)) === 60
    await taken(follow, isAll)
    await one.close()
    await other.close()
  })
}
