/** How runners are shared between owners, and between webhooks and queries. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, gather, openRunners, programOf } from '../../support/sql-runs.ts'

const ENDLESS =
  'WITH RECURSIVE t(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM t) SELECT a FROM t WHERE a < 0'

test('a webhook runs while endless queries of several owners run and wait', async (t) => {
  for (const runnersMax of [1, 2]) {
    const runners = openRunners(t, { runnersMax, seconds: 600 })
    const stop = new AbortController()
    const endless = ['a', 'b', 'c', 'a', 'b', 'c'].map((owner) =>
      gather(runners, programOf(ENDLESS), { owner, signal: stop.signal }).catch(() => {}),
    )
    await eventually(() => runners.figures.busy === runnersMax, 'endless queries')
    for (const owner of ['d', 'a']) {
      const call = gather(runners, programOf('SELECT 1'), { owner, kind: 'webhook' })
      assert.deepEqual(await call, [[1n]])
    }
    stop.abort()
    await Promise.all(endless)
  }
})

test('a query runs while endless webhooks of several owners run and wait', async (t) => {
  const runners = openRunners(t, { runnersMax: 1, seconds: 600 })
  const stop = new AbortController()
  const { signal } = stop
  const endless = ['a', 'b', 'c'].map((owner) =>
    gather(runners, programOf(ENDLESS), { owner, kind: 'webhook', signal }).catch(() => {}),
  )
  await eventually(() => runners.figures.busy === 1, 'an endless webhook')
  assert.deepEqual(await gather(runners, programOf('SELECT 1'), { owner: 'd' }), [[1n]])
  stop.abort()
  await Promise.all(endless)
})

test('endless queries and webhooks of one owner leave a runner to others', async (t) => {
  const runners = openRunners(t, { runnersMax: 2, seconds: 600 })
  const stop = new AbortController()
  const endless = (['query', 'query', 'webhook', 'webhook'] as const).map((kind) =>
    gather(runners, programOf(ENDLESS), { owner: 'a', kind, signal: stop.signal }).catch(() => {}),
  )
  await eventually(() => runners.figures.busy === 2, 'one endless call of each kind')
  for (const kind of ['query', 'webhook'] as const) {
    const call = gather(runners, programOf('SELECT 1'), { owner: 'b', kind })
    assert.deepEqual(await call, [[1n]])
  }
  assert.deepEqual([runners.figures.busy, runners.figures.waiting], [2, 2])
  stop.abort()
  await Promise.all(endless)
})

test('of the owners that wait, the one that used runners least goes first', async (t) => {
  const runners = openRunners(t, { runnersMax: 1, seconds: 600 })
  const stop = new AbortController()
  const { signal } = stop
  const first = gather(runners, programOf(ENDLESS), { owner: 'heavy', signal }).catch(() => {})
  await eventually(() => runners.figures.busy === 1, 'an endless query')
  const done: string[] = []
  const calls = ['heavy', 'heavy', 'light'].map(async (owner, index) => {
    await gather(runners, programOf('SELECT 1'), { owner })
    done.push(`${owner} ${index}`)
  })
  stop.abort()
  await Promise.all([first, ...calls])
  assert.deepEqual(done, ['light 2', 'heavy 0', 'heavy 1'])
})
