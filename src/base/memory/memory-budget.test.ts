import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Random, testSeeds } from '../../../test/support/random.ts'
import { MemoryBudget, type MemoryShare, SMALL_CALL_BYTES_MAX } from './memory-budget.ts'
import { budgetBytesOf, findMemoryBytes } from './memory-limit.ts'

const MB = 1024 * 1024
const OVERLOADED = { code: 'overloaded', status: 503, retryAfterSeconds: 5 }

/** A promise and whether it is settled, looked at after everything that can run has run. */
function watch<T>(promise: Promise<T>) {
  const watched = { promise, isDone: false }
  const done = (): void => {
    watched.isDone = true
  }
  promise.then(done, done)
  return watched
}

const iteration = () => new Promise<void>((resolve) => setImmediate(resolve))

test('take() lets calls wait beyond the budget, and admits them in the order they came', async () => {
  const budget = new MemoryBudget(80 * MB)
  const first = await budget.take(60 * MB)
  const large = watch(budget.take(40 * MB))
  const later = watch(budget.take(2 * MB))
  await iteration()
  assert.deepEqual([large.isDone, later.isDone], [false, false], 'nobody overtakes')
  assert.equal(budget.figures.waiting, 2)
  first.release()
  const shares = await Promise.all([large.promise, later.promise])
  assert.equal(budget.figures.usedBytes, 42 * MB)
  for (const share of shares) share.release()
  for (const share of shares) share.release()
  assert.equal(budget.figures.usedBytes, 0)
})

test('small calls have a part of the budget that long ones cannot take', async () => {
  const budget = new MemoryBudget(80 * MB)
  const long = await budget.take(budget.shareBytesMax)
  const waiting = watch(budget.take(MB))
  const small = await budget.take(SMALL_CALL_BYTES_MAX)
  assert.equal(budget.addSmall(1_000), true)
  assert.equal(waiting.isDone, false)
  budget.endSmall(1_000)
  small.release()
  long.release()
  ;(await waiting.promise).release()
  assert.equal(budget.figures.usedBytes, 0)
})

test('waitSmall() admits in order when the part of the small calls is full', async () => {
  const budget = new MemoryBudget(8 * MB)
  assert.equal(budget.addSmall(budget.smallBytesMax), true)
  assert.equal(budget.addSmall(1), false)
  const order: number[] = []
  const waiting = [1, 2, 3].map((number) =>
    budget.waitSmall(1_000).then(() => {
      order.push(number)
    }),
  )
  await iteration()
  assert.deepEqual(order, [])
  budget.endSmall(budget.smallBytesMax)
  await Promise.all(waiting)
  assert.deepEqual(order, [1, 2, 3])
})

test('take() refuses what waits too long, too many, and what holds too much while it waits', async () => {
  const brief = new MemoryBudget(80 * MB, 1)
  const all = await brief.take(brief.shareBytesMax)
  // The wait alone does not keep a process alive.
  const alive = setInterval(() => {}, 1_000)
  await assert.rejects(brief.take(MB), OVERLOADED)
  clearInterval(alive)
  assert.deepEqual([brief.figures.waiting, brief.figures.refused], [0, 1])
  all.release()
  const budget = new MemoryBudget(80 * MB)
  const held = await budget.take(budget.shareBytesMax)
  const holding = budget.take(MB, { heldBytes: 10 * MB })
  await assert.rejects(budget.take(MB, { heldBytes: MB }), OVERLOADED)
  const many = Array.from({ length: 999 }, () => budget.take(MB))
  await assert.rejects(budget.take(MB), OVERLOADED)
  held.release()
  for (const waiting of [holding, ...many]) (await waiting).release()
  assert.equal(budget.figures.usedBytes, 0)
})

test('take() refuses at once what can never fit', async () => {
  const budget = new MemoryBudget(80 * MB)
  await assert.rejects(budget.take(80 * MB), { code: 'body_too_large', status: 413 })
  const share = await budget.take(60 * MB)
  await assert.rejects(share.resize(80 * MB), { code: 'body_too_large', status: 413 })
  assert.equal(share.bytes, 60 * MB)
})

test('a caller that goes away while it waits takes nothing, and those behind it go on', async () => {
  const budget = new MemoryBudget(80 * MB)
  const held = await budget.take(30 * MB)
  const gone = new AbortController()
  const waiting = budget.take(60 * MB, { signal: gone.signal, heldBytes: 10 * MB })
  const behind = budget.take(MB)
  gone.abort()
  await assert.rejects(waiting)
  const admitted = await behind
  assert.equal(budget.figures.usedBytes, 31 * MB)
  await assert.rejects(budget.take(60 * MB, { signal: AbortSignal.abort() }))
  admitted.release()
  held.release()
  assert.deepEqual(budget.figures, { ...budget.figures, usedBytes: 0, waiting: 0 })
})

test('a share that grows goes before calls that begin', async () => {
  const budget = new MemoryBudget(80 * MB)
  const [one, other] = [await budget.take(30 * MB), await budget.take(30 * MB)]
  const beginning = watch(budget.take(20 * MB))
  const growing = one.resize(60 * MB)
  other.release()
  await growing
  assert.equal(beginning.isDone, false)
  await one.resize(10 * MB)
  ;(await beginning.promise).release()
  one.release()
  assert.equal(budget.figures.usedBytes, 0)
})

test('when all who hold a share wait for more, the last is refused and the others finish', async () => {
  const budget = new MemoryBudget(80 * MB)
  const [one, other] = [await budget.take(30 * MB), await budget.take(30 * MB)]
  const growing = one.resize(60 * MB)
  await assert.rejects(other.resize(60 * MB), OVERLOADED)
  other.release()
  await growing
  one.release()
  // A share of the small part that outgrows it is no exception.
  const small = await budget.take(1_000)
  const third = await budget.take(60 * MB)
  const outgrowing = small.resize(20 * MB)
  await assert.rejects(third.resize(70 * MB + 1), { code: 'body_too_large' })
  third.release()
  await outgrowing
  small.release()
  assert.equal(budget.figures.usedBytes, 0)
})

test('release() of a share that waits to grow gives all of it back once that is decided', async () => {
  const budget = new MemoryBudget(80 * MB)
  const [one, other] = [await budget.take(30 * MB), await budget.take(30 * MB)]
  const growing = one.resize(40 * MB + 1)
  one.release()
  other.release()
  await growing
  assert.equal(budget.figures.usedBytes, 0)
  ;(await budget.take(budget.shareBytesMax)).release()
})

/** One call of a random life: it takes, grows and shrinks, and may go away at any time. */
async function live(budget: MemoryBudget, random: Random, limits: { over: number }): Promise<void> {
  const gone = new AbortController()
  if (random.next() < 0.2) setImmediate(() => gone.abort())
  const size = () => random.integer(1, random.next() < 0.5 ? SMALL_CALL_BYTES_MAX : 30 * MB)
  let share: MemoryShare | undefined
  try {
    share = await budget.take(size(), { heldBytes: random.integer(0, 1_000), signal: gone.signal })
    for (let steps = random.integer(0, 4); steps > 0; steps -= 1) {
      if (random.next() < 0.5) await iteration()
      await share.resize(size(), { signal: gone.signal })
      if (budget.figures.usedBytes > budget.bytesMax) limits.over += 1
    }
  } catch (error) {
    assert.equal((error as { code?: string }).code, 'overloaded')
  } finally {
    share?.release()
  }
}

test('no call is left waiting and no byte is lost, whatever thousands of calls do', async (t) => {
  for (const seed of testSeeds(3)) {
    t.diagnostic(`seed ${seed}`)
    const random = new Random(seed)
    const budget = new MemoryBudget(64 * MB)
    const limits = { over: 0 }
    for (let round = 0; round < 40; round += 1) {
      await Promise.all(Array.from({ length: 100 }, () => live(budget, random, limits)))
      const { usedBytes, waiting } = budget.figures
      assert.deepEqual({ usedBytes, waiting, ...limits }, { usedBytes: 0, waiting: 0, over: 0 })
    }
    ;(await budget.take(budget.shareBytesMax)).release()
  }
})

test('budgetBytesOf() leaves the process room, and findMemoryBytes() returns the memory of the machine', () => {
  assert.equal(budgetBytesOf(400 * MB), 144 * MB)
  assert.equal(budgetBytesOf(700 * MB), 350 * MB)
  assert.equal(budgetBytesOf(16_384 * MB), 8_192 * MB)
  assert.equal(budgetBytesOf(300 * MB), 44 * MB)
  assert.equal(budgetBytesOf(100 * MB), 32 * MB)
  const found = findMemoryBytes()
  assert.ok(found > 100 * MB && found < 2 ** 50, String(found))
})
