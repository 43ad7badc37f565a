import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { ManualClock, MemoryBudget } from '../../src/base/index.ts'
import type { StreamInput } from '../../src/catalog/shape/index.ts'
import { FeedCalls } from '../../src/http/feed/feed-calls.ts'
import { type DerivationHome, derivationHome, owner } from '../support/derivation-home.ts'

const T = Date.UTC(2024, 4, 1)

function plain(id: string): StreamInput {
  return { id, name: id, streamType: 'rdm_stream', valueType: 'DOUBLE' }
}

/** A stream that is another one plus 1. */
function next(id: string, streamId: string, componentId?: string): StreamInput {
  const variables = [{ name: 'x', streamId, ...(componentId === undefined ? {} : { componentId }) }]
  return {
    ...plain(id),
    streamDerivationType: 'FROM_EXPRESSION',
    derivation: { expression: 'x + 1', variables },
  }
}

interface PutHome extends DerivationHome {
  /** Puts as a call does; with a body it is JSON. */
  call(query: string, body?: unknown): Promise<string>
  values(...streamIds: string[]): Promise<(number | string)[][]>
}

/** Component c with a → b → d, and e of component o, which reads b. */
async function putHome(
  t: TestContext,
  options: Parameters<typeof derivationHome>[1] = {},
): Promise<PutHome> {
  const home = await derivationHome(t, options)
  await home.add('c', [plain('a'), next('b', 'a'), next('d', 'b')])
  await home.add('o', [next('e', 'b', 'c')])
  const calls = new FeedCalls(home.feed, new MemoryBudget(1e9))
  return Object.assign(Object.create(home) as DerivationHome, {
    call: (query: string, body?: unknown) => {
      const bytes = body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body))
      return calls.put(owner, query, bytes, { warn: () => {} })
    },
    values: async (...streamIds: string[]) => {
      const lists: (number | string)[][] = []
      for (const id of streamIds) {
        const rows = await (id === 'e' ? home.readOf('o', 'e') : home.read(id))
        lists.push(rows.map(([, value]) => value))
      }
      return lists
    },
  })
}

test('a put derives as many streams as derMaxS says, and the background the others', async (t) => {
  const home = await putHome(t)
  await home.call(`compId=c&a=1&time=${T}&derMaxS=1`)
  assert.deepEqual(await home.values('a', 'b'), [[1], [2]])
  await home.call(`compId=c&a=4&time=${T + 1}&derMaxS=2&derTout`)
  assert.deepEqual(
    (await home.values('b', 'd')).map((list) => list.at(-1)),
    [5, 6],
  )
  await home.call(`compId=c&a=6&time=${T + 2}&derMaxS=0`)
  await home.derivation.worker.settle()
  await home.derivation.worker.settle()
  assert.deepEqual(
    (await home.values('b', 'd', 'e')).map((list) => list.at(-1)),
    [7, 8, 8],
  )
})

test('every form of a put derives, and rsid sees what came out', async (t) => {
  const home = await putHome(t)
  const answer = await home.call(`compId=c&a=1&time=${T}&derMaxS&rsid=d&rsid=b`)
  assert.deepEqual(JSON.parse(answer), { d: 3, b: 2 })
  await home.call('derMaxS', [{ compId: 'c', streamId: 'a', data: 5, time: T + 1 }])
  assert.deepEqual(await home.values('b', 'd', 'e'), [
    [2, 6],
    [3, 7],
    [3, 7],
  ])
  const stream = [{ streamId: 'a', time: [T + 2, T + 3], data: [7, 8] }]
  await home.call('derMaxS=20', { feed: { component: [{ componentId: 'c', stream }] } })
  assert.deepEqual(await home.values('d', 'e'), [
    [3, 7, 9, 10],
    [3, 7, 9, 10],
  ])
})

test('a branch ends at a locked component; its samples come when it is free', async (t) => {
  const home = await putHome(t)
  const { uid } = home.catalog.index.componentOf(home.handleOf('o', 'e'))
  assert.equal(await home.derivation.locks.lock(uid), true)
  await home.call(`compId=c&a=1&time=${T}&derMaxS`)
  assert.deepEqual(await home.values('b', 'd', 'e'), [[2], [3], []])
  await home.derivation.locks.unlock(uid)
  await home.call(`compId=c&a=2&time=${T + 1}&derMaxS`)
  assert.deepEqual(await home.values('b', 'd'), [
    [2, 3],
    [3, 4],
  ])
  await home.derivation.worker.settle()
  assert.equal((await home.values('e'))[0].at(-1), 4)
})

test('an overwritten or late sample derives nothing within the call, and is stored', async (t) => {
  const home = await putHome(t)
  await home.call(`compId=c&a=1&time=${T + 10}&derMaxS`)
  await home.call(`compId=c&a=9&time=${T + 10}&derMaxS`)
  await home.call(`compId=c&a=5&time=${T}&derMaxS`)
  assert.deepEqual(await home.values('a', 'b', 'd'), [[5, 9], [2], [3]])
})

test('a source that is deleted, and a formula that fails, keep no sample back', async (t) => {
  const home = await putHome(t)
  const fails = { expression: 'sqrt(x)', variables: [{ name: 'x', streamId: 'a' }] }
  const derived = { streamDerivationType: 'FROM_EXPRESSION', derivation: fails } as const
  await home.add('f', [plain('a'), { ...plain('root'), ...derived }, next('after', 'root')])
  await home.call(`compId=f&a=-4&time=${T}&derMaxS`)
  await home.call(`compId=f&a=9&time=${T + 1}&derMaxS`)
  assert.deepEqual(await home.readOf('f', 'a'), [
    [T, -4],
    [T + 1, 9],
  ])
  assert.deepEqual(await home.readOf('f', 'root'), [[T + 1, 3]])
  assert.deepEqual(await home.readOf('f', 'after'), [[T + 1, 4]])
})

test('a put whose saving takes longer than derTout stores its samples and derives nothing', async (t) => {
  const clock = new ManualClock(T)
  let savingMs = 0
  const home = await putHome(t, { clock, beforeAppend: async () => clock.advance(savingMs) })
  // The background is another process, which has not come to it yet.
  await home.catalogStore.acquireLease('derivation', 'another', 60_000)
  savingMs = 201
  await home.call(`compId=c&a=1&time=${T}&derMaxS&derTout=200`)
  assert.deepEqual(await home.values('a', 'b', 'd'), [[1], [], []])
  // 0 is no timeout of its own: the call has 15 s.
  await home.call(`compId=c&a=2&time=${T + 1}&derMaxS&derTout=0`)
  assert.deepEqual((await home.values('a', 'b'))[1].at(-1), 3)
  savingMs = 15_001
  await home.call(`compId=c&a=3&time=${T + 2}&derMaxS`)
  assert.deepEqual((await home.values('a'))[0], [1, 2, 3])
  assert.equal((await home.values('b'))[0].at(-1), 3)
  savingMs = 0
  await home.call(`compId=c&a=4&time=${T + 3}&derMaxS`)
  assert.deepEqual(await home.values('b', 'd', 'e'), [
    [2, 3, 4, 5],
    [3, 4, 5, 6],
    [3, 4, 5, 6],
  ])
})

test('a branch ends where a component is deleted, and the others go on', async (t) => {
  const home = await putHome(t)
  const { uid } = home.catalog.index.componentOf(home.handleOf('o', 'e'))
  const [, answer] = await Promise.all([
    home.catalog.components.delete(owner, uid),
    home.call(`compId=c&a=1&time=${T}&derMaxS&rsid=d`),
  ])
  assert.deepEqual(JSON.parse(answer), { d: 3 })
  await home.call(`compId=c&a=2&time=${T + 1}&derMaxS`)
  await home.derivation.worker.settle()
  assert.deepEqual(await home.values('b', 'd'), [
    [2, 3],
    [3, 4],
  ])
})
