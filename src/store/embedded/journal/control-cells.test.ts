import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CONTROL_BYTES, ControlCells } from './control-cells.ts'

test('an order and a message reach the other side once, the figures exactly', () => {
  const memory = new SharedArrayBuffer(CONTROL_BYTES)
  const [main, thread] = [new ControlCells(memory), new ControlCells(memory)]
  assert.equal(thread.takeWrite(), undefined)
  assert.equal(thread.takeMessages(), false)
  const order = {
    buffer: 1,
    payloadBytes: 2 ** 31 - 8,
    sequence: Number.MAX_SAFE_INTEGER,
    fileOffset: 2 ** 40 + 1,
  }
  main.noteMessage()
  main.order(order)
  main.call()
  thread.awaitCall()
  assert.deepEqual(thread.takeWrite(), order)
  assert.equal(thread.takeMessages(), true)
  assert.equal(thread.takeWrite(), undefined)
  assert.equal(thread.takeMessages(), false)
})

test('awaitCall() does not sleep through calls that came before it', () => {
  const memory = new SharedArrayBuffer(CONTROL_BYTES)
  const [main, thread] = [new ControlCells(memory), new ControlCells(memory)]
  for (let round = 1; round <= 3; round++) {
    main.order({ buffer: 0, payloadBytes: 8, sequence: round, fileOffset: 0 })
    main.call()
    thread.awaitCall()
    assert.equal(thread.takeWrite()?.sequence, round)
  }
})
