import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KillableThread, ThreadExhausted } from './killable-thread.ts'

/** Doubles numbers; -1 never ends, -2 takes memory without end, -3 fails. */
const MODULE = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { serveThread } from ${JSON.stringify(new URL('./killable-thread.ts', import.meta.url).href)}
    serveThread((number) => {
      if (number === -1) for (;;);
      const held = []
      while (number === -2) held.push(new Array(1_000_000).fill(number))
      if (number === -3) throw new Error('a mistake of the module')
      return 2 * number
    })
  `)}`,
)

function threadOf(cpuMsMax = 60_000): KillableThread<number, number> {
  return new KillableThread({ name: 'doubling', module: MODULE, cpuMsMax, memoryMbMax: 64 })
}

test('ask() answers requests in their order, by one thread', async (t) => {
  const thread = threadOf()
  t.after(() => thread.close())
  assert.deepEqual(await Promise.all([1, 2, 3].map((number) => thread.ask(number))), [2, 4, 6])
})

test('ask() leaves no listener behind, however often it is called', async (t) => {
  const thread = threadOf()
  t.after(() => thread.close())
  const warnings: Error[] = []
  const onWarning = (warning: Error) => warnings.push(warning)
  process.on('warning', onWarning)
  t.after(() => process.off('warning', onWarning))
  for (let number = 1; number <= 20; number += 1) await thread.ask(number)
  assert.deepEqual(warnings, [])
})

test('ask() rejects a request that takes too much CPU time, and the next one is answered', async (t) => {
  const thread = threadOf(500)
  t.after(() => thread.close())
  const asked = [thread.ask(-1), thread.ask(4)]
  await assert.rejects(asked[0], new ThreadExhausted('time'))
  assert.equal(await asked[1], 8)
})

test('ask() rejects a request that takes too much memory, and the next one is answered', async (t) => {
  const thread = threadOf()
  t.after(() => thread.close())
  await assert.rejects(thread.ask(-2), new ThreadExhausted('memory'))
  assert.equal(await thread.ask(5), 10)
})

test('ask() rejects with what its module throws, and the next one is answered', async (t) => {
  const thread = threadOf()
  t.after(() => thread.close())
  await assert.rejects(thread.ask(-3), { message: 'doubling failed' })
  assert.equal(await thread.ask(6), 12)
})

test('close() ends a request, and a later one starts another thread', async (t) => {
  const thread = threadOf()
  t.after(() => thread.close())
  assert.equal(await thread.ask(1), 2)
  const asked = thread.ask(-1)
  asked.catch(() => {})
  await new Promise(setImmediate)
  await thread.close()
  await assert.rejects(asked, { message: 'doubling ended' })
  assert.equal(await thread.ask(7), 14)
})
