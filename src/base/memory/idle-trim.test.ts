import assert from 'node:assert/strict'
import { test } from 'node:test'
import { IdleTrim } from './idle-trim.ts'

/** A trim: the signals it sends while ticks find the main thread so busy. */
function startTrim(): (...shares: number[]) => boolean[] {
  let states: boolean[] = []
  const trim = new IdleTrim((isOn) => states.push(isOn))
  return (...shares) => {
    states = []
    for (const share of shares) trim.tick(share)
    return states
  }
}

const idle = (ticks: number): number[] => new Array<number>(ticks).fill(0.01)

test('IdleTrim saves memory once the service is idle for a while, and only for a while', () => {
  const told = startTrim()
  assert.deepEqual(told(0.9, ...idle(2), 0.1, ...idle(2)), [], 'a pause between calls')
  assert.deepEqual(told(...idle(1)), [true])
  assert.deepEqual(told(...idle(60)), [false])
  assert.deepEqual(told(0.1, ...idle(60)), [], 'nothing has changed since')
})

test('IdleTrim ends at once when a load begins, and saves again after it', () => {
  const told = startTrim()
  assert.deepEqual(told(...idle(3)), [true])
  assert.deepEqual(told(0.8), [false])
  assert.deepEqual(told(0.8, 0.8), [])
  assert.deepEqual(told(...idle(3)), [true])
})
