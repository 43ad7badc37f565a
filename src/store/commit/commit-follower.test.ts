import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock, refusal } from '../../base/index.ts'
import type { CatalogChange } from '../ports/catalog-port.ts'
import { CommitFollower } from './commit-follower.ts'

/** A log of changes in memory. */
function openLog() {
  const log: CatalogChange[] = []
  const notified: string[] = []
  const lost: Error[] = []
  let [failures, firstKept] = [0, 1]
  const add = (uid: string, isOwn?: true) =>
    void log.push({
      orgUid: 'o',
      kind: 'unit',
      uid,
      parentUid: '',
      isDeleted: false,
      isOwn,
      cursor: log.length + 1,
    })
  const store = {
    lastCursor: async () => log.length,
    changesSince: async (cursor: number, limit: number) => {
      const from = Math.max(cursor, firstKept - 1)
      const changes = log.slice(from, from + limit)
      return { changes, cursor: changes.at(-1)?.cursor ?? cursor }
    },
  }
  const open = () =>
    CommitFollower.open({
      store,
      onChanges: async (changes) => {
        if (failures-- > 0) throw refusal('store_away', { retryAfterSeconds: 1 })
        notified.push(...changes.map(({ uid }) => uid))
      },
      onFailure: () => {},
      onLost: (error) => lost.push(error),
    })
  return {
    add,
    open,
    notified,
    lost,
    failNext: () => {
      failures = 1
    },
    forgetBefore: (cursor: number) => {
      firstKept = cursor
    },
  }
}

test('a follower reports commits of others in order, from its start on', async () => {
  const log = openLog()
  log.add('before')
  const follower = await log.open()
  log.add('a')
  log.add('own', true)
  for (let at = 0; at < 2_500; at++) log.add(`n${at}`)
  await follower.look()
  assert.deepEqual(log.notified, ['a', ...Array.from({ length: 2_500 }, (_, at) => `n${at}`)])
  await follower.look()
  assert.equal(log.notified.length, 2_501)
  await follower.close()
})

test('looks at the same time see all that was committed before each of them', async () => {
  const log = openLog()
  const follower = await log.open()
  const first = follower.look()
  log.add('late')
  await Promise.all([follower.look(), follower.look(), first])
  assert.deepEqual(log.notified, ['late'])
})

test('changes are reported again when a listener rejects', async () => {
  const log = openLog()
  const follower = await log.open()
  log.add('a')
  log.failNext()
  await assert.rejects(follower.look(), { code: 'store_away' })
  await follower.look()
  assert.deepEqual(log.notified, ['a'])
})

test('changes that were dropped are reported as lost', async () => {
  const log = openLog()
  const follower = await log.open()
  for (let at = 0; at < 5; at++) log.add(`n${at}`)
  log.forgetBefore(4)
  await follower.look()
  assert.match(String(log.lost), /changes 1 to 3 of the catalog are not kept any more/)
  assert.match(follower.problem ?? '', /Cannot catch up/)
  assert.deepEqual(log.notified, [])
})

test('a store that hangs is reported as a problem before the call times out', async () => {
  const clock = new ManualClock(0)
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<{ changes: CatalogChange[]; cursor: number }>()
  const follower = await CommitFollower.open({
    store: {
      lastCursor: async () => 0,
      changesSince: () => {
        asked.resolve()
        return answer.promise
      },
    },
    onChanges: () => {},
    onFailure: () => {},
    onLost: () => {},
    clock,
  })
  const looking = follower.look()
  await asked.promise
  clock.advance(4_000)
  assert.equal(follower.problem, undefined)
  clock.advance(2_000)
  assert.match(follower.problem ?? '', /does not answer/)
  answer.resolve({ changes: [], cursor: 0 })
  await looking
  assert.equal(follower.problem, undefined)
})
