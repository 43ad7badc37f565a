import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Random, testSeeds } from '../../../test/support/random.ts'
import { isSummary } from './delivery.ts'
import type { PendingNotice } from './notice-document.ts'
import { nextDueMs, pickNotice, sumUp } from './pick-notice.ts'

function pendingOf(uid: string, orderKey: string, sequence: number): PendingNotice {
  const content = {
    alertUid: 'a',
    alertName: 'a',
    severity: 'info',
    state: sequence % 2 === 0 ? 'OK' : 'FIRING',
    reason: 'change',
    message: '',
    streamUid: 's',
    streamId: 's',
    componentUid: 'c',
    componentId: 'c',
    componentName: 'c',
    startedMs: 0,
    eventUid: uid,
  } as const
  const place = { uid, orgUid: 'o', channelUid: 'c', idempotencyKey: uid }
  return {
    ...place,
    orderKey,
    sequence,
    createdMs: sequence,
    content,
    tries: 0,
    triedMs: 0,
    dueMs: 0,
  }
}

test('pickNotice() delivers every notice once, in the order of its key, whatever fails in between', (t) => {
  const [seed] = testSeeds(1)
  t.diagnostic(`seed ${seed}`)
  const random = new Random(seed)
  for (let round = 0; round < 200; round += 1) {
    const count = random.integer(1, 30)
    let waiting = Array.from({ length: count }, (_, at) =>
      pendingOf(`n${at}`, `key${random.integer(0, 4)}`, at),
    )
    const delivered: string[] = []
    const newest = new Map<string, number>()
    for (let nowMs = 0; waiting.length > 0; ) {
      const notice = pickNotice(waiting, nowMs)
      if (notice === undefined) {
        const dueMs = nextDueMs(waiting)
        assert.ok(dueMs > nowMs && Number.isFinite(dueMs))
        nowMs = dueMs
        continue
      }
      if (
        random.next() < 0.1 &&
        waiting.length > 1 &&
        !waiting.some((one) => isSummary(one.content))
      ) {
        waiting = [sumUp(waiting)]
        continue
      }
      if (random.next() < 0.4) {
        const failed = { ...notice, tries: notice.tries + 1, dueMs: nowMs + random.integer(1, 100) }
        waiting = waiting.map((one) => (one === notice ? failed : one))
        continue
      }
      waiting = waiting.filter((one) => one !== notice)
      if (isSummary(notice.content)) delivered.push(...notice.content.keys)
      else {
        assert.ok((newest.get(notice.orderKey) ?? -1) < notice.sequence)
        newest.set(notice.orderKey, notice.sequence)
        delivered.push(notice.idempotencyKey)
      }
    }
    assert.equal(delivered.length, count)
    assert.equal(new Set(delivered).size, count)
  }
})
