import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '../../base/index.ts'
import { FairQueue } from './fair-queue.ts'

/** A queue whose first task runs until `open` is called, and what ran or was refused after it. */
function heldQueue() {
  const queue = new FairQueue()
  const ran: string[] = []
  const refused: string[] = []
  const first = Promise.withResolvers<void>()
  const all: Promise<unknown>[] = [queue.run({ name: 'first', isKnown: true }, () => first.promise)]
  const add = (name: string, isKnown = false) => {
    const running = queue.run({ name, isKnown }, async () => {
      ran.push(name)
    })
    const outcome = running.catch((error: unknown) => {
      assert.ok(error instanceof Refusal && error.code === 'rate_limited', String(error))
      refused.push(name)
    })
    all.push(outcome)
  }
  const open = async () => {
    first.resolve()
    await Promise.all(all)
  }
  return { queue, add, open, ran, refused }
}

test('run() serves owners in rotation, so that many tasks of one do not delay another', async () => {
  const { add, open, ran } = heldQueue()
  for (let at = 0; at < 5; at += 1) add('greedy')
  add('a')
  add('b')
  await open()
  assert.deepEqual(ran, ['greedy', 'a', 'b', 'greedy', 'greedy', 'greedy', 'greedy'])
})

test('run() refuses the excess tasks of one owner only', async () => {
  const { add, open, ran, refused } = heldQueue()
  for (let at = 0; at < 40; at += 1) add('greedy')
  for (let at = 0; at < 20; at += 1) add(`person ${at}`)
  await open()
  assert.equal(refused.length, 24)
  assert.deepEqual(new Set(refused), new Set(['greedy']))
  assert.equal(ran.filter((name) => name.startsWith('person')).length, 20)
})

test('when too many wait, the owner with the most loses a task, and owners with as many are refused', async () => {
  const { add, open, ran, refused } = heldQueue()
  for (let owner = 0; owner < 10; owner += 1)
    for (let at = 0; at < 5; at += 1) add(`owner ${owner}`)
  for (let at = 0; at < 60; at += 1) add(`person ${at}`)
  await open()
  assert.equal(ran.length, 50)
  const people = ran.filter((name) => name.startsWith('person')).length
  assert.equal(people, 40)
  assert.equal(refused.length, 60)
})

test('known owners go first, and the others are still served', async () => {
  const { add, open, ran } = heldQueue()
  for (let at = 0; at < 50; at += 1) add(`stranger ${at}`)
  for (let at = 0; at < 8; at += 1) add(`known ${at}`, true)
  await open()
  const kinds = ran.slice(0, 10).map((name) => name.split(' ')[0])
  assert.deepEqual(kinds.filter((kind) => kind === 'known').length, 8)
  assert.deepEqual(kinds.slice(0, 4), ['known', 'known', 'known', 'stranger'])
  assert.equal(ran.length, 58)
})

test('a task that fails lets the next one run', async () => {
  const queue = new FairQueue()
  const owner = { name: 'a', isKnown: false }
  const failing = queue.run(owner, () => Promise.reject(new Error('on purpose')))
  const next = queue.run(owner, async () => 'ran')
  await assert.rejects(failing, /on purpose/)
  assert.equal(await next, 'ran')
  assert.equal(await queue.run(owner, async () => 'again'), 'again')
})
