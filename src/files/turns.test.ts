import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Turns } from './turns.ts'

test('take() keeps the order within a key, across failures, and lets other keys pass', async () => {
  const turns = new Turns()
  const gate = Promise.withResolvers<void>()
  const seen: string[] = []
  const first = turns.take(1, async () => {
    await gate.promise
    seen.push('first')
    throw new Error('first failed')
  })
  const second = turns.take(1, async () => {
    seen.push('second')
    return 2
  })
  await turns.take(2, async () => void seen.push('other key'))
  gate.resolve()
  await assert.rejects(first, /first failed/)
  assert.equal(await second, 2)
  assert.deepEqual(seen, ['other key', 'first', 'second'])
})
