/** What reads hold of the memory budget, from the texts that the store reads to the answer. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { MemoryBudget, type MemoryShare } from '../../src/base/index.ts'
import type { FeedRead } from '../../src/http/feed/feed-calls.ts'
import { anyFeed, openFeedHome } from '../support/feed-home.ts'

const MB = 1024 * 1024
const LENGTH = 100_000
const TEXTS = 20
const textAt = (at: number): string => String.fromCharCode(97 + at).repeat(LENGTH)

async function openWithTexts(budget: MemoryBudget) {
  const feed = await openFeedHome({ t: { valueType: 'STRING' } }, budget)
  const body = Array.from({ length: TEXTS }, (_, time) => ({
    compId: 'c',
    streamId: 't',
    time,
    data: textAt(time),
  }))
  await feed.putJson(body)
  return feed
}

const READS: readonly FeedRead[] = [
  { call: 'get', ids: { compId: 'c', streamId: 't' }, query: '' },
  { call: 'get', ids: { compId: 'c', streamId: 't' }, query: 'format=csv' },
  { call: 'lastValue', ids: { compId: 'c', streamId: 't' }, query: '' },
]

test('a read that waits for memory has not read its texts yet', async (t) => {
  for (const read of READS) {
    const budget = new MemoryBudget(32 * MB)
    const feed = await openWithTexts(budget)
    t.after(() => feed.close())
    const others = await budget.take(budget.shareBytesMax)
    let held: MemoryShare | undefined
    const hold = (share: MemoryShare) => {
      held = share
    }
    const reading = feed.calls.read(anyFeed, read, { hold })
    while (budget.figures.waiting === 0) await nextIteration()
    assert.equal(held, undefined)
    await feed.putJson([{ compId: 'c', streamId: 't', time: TEXTS - 1, data: 'meanwhile' }])
    others.release()
    assert.match(String(await reading), /meanwhile/)
  }
})

test('texts count while the answer is made of them, and the answer after', async (t) => {
  const budget = new MemoryBudget(32 * MB)
  const feed = await openWithTexts(budget)
  t.after(() => feed.close())
  const counted: number[] = []
  let held: MemoryShare | undefined
  const answer = await feed.calls.read(anyFeed, READS[0], {
    hold: (share) => {
      held = share
      counted.push(budget.figures.usedBytes)
    },
  })
  assert.ok(counted[0] >= TEXTS * LENGTH, `${counted} bytes when they are read`)
  const { usedBytes } = budget.figures
  assert.ok(usedBytes >= answer.length && usedBytes < 1.1 * answer.length, `${usedBytes} bytes`)
  held?.release()
  assert.equal(budget.figures.usedBytes, 0)
})

test('reads that need more memory than there is wait or are refused', async (t) => {
  const budget = new MemoryBudget(8 * MB, 1)
  const feed = await openWithTexts(budget)
  t.after(() => feed.close())
  const shares: MemoryShare[] = []
  const reads = Array.from({ length: 12 }, () =>
    feed.calls.read(anyFeed, READS[0], { hold: (share) => void shares.push(share) }),
  )
  const ends = await Promise.allSettled(reads)
  const refused = ends.filter((end) => end.status === 'rejected')
  for (const { reason } of refused) {
    assert.deepEqual([reason.code, reason.status, reason.retryAfterSeconds], ['overloaded', 503, 5])
  }
  assert.ok(refused.length > 0 && refused.length < 12, `${refused.length} were refused`)
  assert.ok(budget.figures.usedBytes <= budget.bytesMax)
  for (const share of shares) share.release()
  assert.equal(budget.figures.usedBytes, 0)
})

test('texts beyond any answer are refused before they are read', async (t) => {
  const budget = new MemoryBudget(MB)
  const feed = await openWithTexts(budget)
  t.after(() => feed.close())
  const reading = feed.calls.read(anyFeed, READS[0], { hold: () => assert.fail('held') })
  await assert.rejects(reading, { code: 'bad_input', message: /Use a smaller/ })
})

test('the values that a put asks for by rsid are in the budget, too', async (t) => {
  const budget = new MemoryBudget(32 * MB)
  const feed = await openWithTexts(budget)
  t.after(() => feed.close())
  let held: MemoryShare | undefined
  const aside = {
    warn: () => {},
    hold: (share: MemoryShare) => {
      held = share
    },
  }
  const text = await feed.calls.put(anyFeed, 'compId=c&n=1&rsid=t', Buffer.alloc(0), aside)
  assert.deepEqual(JSON.parse(text), { t: textAt(TEXTS - 1) })
  assert.ok(budget.figures.usedBytes >= LENGTH)
  held?.release()
  assert.equal(budget.figures.usedBytes, 0)
})

test('nothing more is read for a caller who is gone', async (t) => {
  const budget = new MemoryBudget(32 * MB)
  const feed = await openWithTexts(budget)
  t.after(() => feed.close())
  const aside = { hold: () => {}, isGone: () => true }
  await assert.rejects(feed.calls.read(anyFeed, READS[0], aside), { code: 'overloaded' })
  assert.equal(budget.figures.usedBytes, 0)
})
