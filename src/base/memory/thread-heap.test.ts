// Alone: it changes flags of V8.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { littleGarbage } from './thread-heap.ts'

/** Makes as much garbage as the room for young objects grows by, and returns the room. */
const BUSY_THREAD = `
  const { getHeapSpaceStatistics } = require('node:v8')
  const { parentPort } = require('node:worker_threads')
  let kept = []
  for (let made = 0; made < 3e6; made += 1) {
    kept.push({ made, list: [made] })
    if (kept.length > 30_000) kept = []
  }
  const young = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')
  parentPort.postMessage(young.space_size)
`

test('littleGarbage() keeps the room for young objects small, whatever the command line says', async () => {
  setFlagsFromString('--max-semi-space-size=16')
  const thread = new Worker(BUSY_THREAD, { eval: true, resourceLimits: littleGarbage() })
  const [bytes] = (await once(thread, 'message')) as [number]
  assert.ok(bytes <= 3 * 1024 * 1024, `${bytes} bytes`)
})
