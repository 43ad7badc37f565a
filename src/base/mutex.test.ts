import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Mutex } from './mutex.ts'

test('Mutex.run() runs tasks one after the other, across failures', async () => {
  const mutex = new Mutex()
  const gate = Promise.withResolvers<void>()
  const seen: string[] = []
  const first = mutex.run(async () => {
    await gate.promise
    seen.push('first')
    throw new Error('first failed')
  })
  const second = mutex.run(async () => seen.push('second'))
  gate.resolve()
  await assert.rejects(first, /first failed/)
  assert.equal(await second, 2)
  assert.deepEqual(seen, ['first', 'second'])
})
