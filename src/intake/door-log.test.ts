import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Broadcast } from '../store/index.ts'
import { DoorLog } from './door-log.ts'

/** Processes that tell each other at once. */
class Room {
  readonly #listeners = new Map<object, (text: string) => void>()
  readonly texts: string[] = []

  join(): Broadcast {
    const me = {}
    return {
      textBytesMax: 500,
      tell: (texts) => {
        this.texts.push(...texts)
        for (const [other, listener] of this.#listeners) {
          if (other !== me) for (const text of texts) listener(text)
        }
      },
      onText: (listener) => this.#listeners.set(me, listener),
    }
  }
}

const entry = (time: number, line = 'm f=1') => {
  return { time, door: 'influx', keyUid: 'k', reason: `reason ${time}`, line }
}

test('DoorLog lists what any process of a cluster has refused, latest first, each once', () => {
  const room = new Room()
  const [one, other] = [new DoorLog(room.join()), new DoorLog(room.join())]
  one.keep('a', [entry(3)])
  other.keep('a', [entry(1), entry(2)])
  other.keep('b', [entry(4)])
  for (const log of [one, other]) {
    assert.deepEqual(
      log.list('a').map(({ time }) => time),
      [3, 2, 1],
    )
    assert.deepEqual(log.list('b'), [entry(4)])
  }
})

test('DoorLog keeps the last 1,000 of an organization, also of those that others refuse', () => {
  const room = new Room()
  const [one, other] = [new DoorLog(room.join()), new DoorLog(room.join())]
  for (let time = 0; time < 1_500; time++) (time % 2 === 0 ? one : other).keep('a', [entry(time)])
  for (const log of [one, other]) {
    assert.deepEqual([log.list('a').length, log.list('a')[0].time], [1_000, 1_499])
  }
})

test('DoorLog cuts what it tells others to the length that they take', () => {
  const room = new Room()
  const [one, other] = [new DoorLog(room.join()), new DoorLog(room.join())]
  one.keep('a', [entry(1, 'ü'.repeat(1_000)), entry(2, '\u0001'.repeat(1_000))])
  assert.equal(room.texts.length, 2)
  for (const text of room.texts) assert.ok(Buffer.byteLength(text) <= 500)
  assert.equal(one.list('a')[1].line.length, 1_000)
  assert.match(other.list('a')[1].line, /^ü+$/)
})
