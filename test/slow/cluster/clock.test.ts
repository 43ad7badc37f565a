/** A process whose clock is off gives samples no times, says so, and does everything else. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Clock, epochMs, systemClock } from '../../../src/base/index.ts'
import type { Call } from '../../support/caller.ts'
import { eventually } from '../../support/settle.ts'
import { clusterSkip } from '../../support/test-cluster.ts'
import { openTwoApps, type TwoApps } from './two-apps.ts'

const skip = clusterSkip()
const T0 = 1_767_225_600_000
let apps: TwoApps
let aheadMs = 0

const clock: Clock = {
  now: () => epochMs(systemClock.now() + aheadMs),
  elapsed: () => systemClock.elapsed(),
}

async function readiness({ url }: { readonly url: string }) {
  const answer = await fetch(`${url}/readyz`)
  return { status: answer.status, text: await answer.text() }
}

async function put(device: Call, query: string): Promise<Awaited<ReturnType<Call>>> {
  return await device('PUT', `/api/feed?compId=clocked&${query}`)
}

async function isRefused(side: string): Promise<void> {
  const { one, other } = apps
  const shown = new RegExp(
    `clock: the clock of this machine is \\d+\\.\\d s ${side} that of PostgreSQL`,
  )
  await eventually(async () => {
    const { status, text } = await readiness(other)
    assert.equal(status, 503)
    assert.match(text, shown)
  })
  const timeless = await put(other.device, 'v=1')
  assert.equal(timeless.status, 503, timeless.text)
  assert.ok(Number(timeless.headers.get('retry-after')) > 0)
  assert.match(timeless.text, new RegExp(`${side} that of PostgreSQL`))
  const timed = await put(other.device, `v=1&time=${T0}`)
  assert.equal(timed.status, 200, timed.text)
  const read = await other.device('GET', '/api/comp/clocked/stream/v/feed?c=1')
  assert.deepEqual([read.status, JSON.parse(read.text)], [200, [{ time: T0, data: 1 }]])
  assert.equal((await readiness(one)).status, 200)
  assert.equal((await put(one.device, 'own=1')).status, 200)
}

async function isServed(): Promise<void> {
  const { other } = apps
  await eventually(async () => assert.equal((await readiness(other)).status, 200))
  const timeless = await put(other.device, 'own=1')
  assert.equal(timeless.status, 200, timeless.text)
}

if (skip !== false) test('a clock that is off', { skip }, () => {})
else {
  before(async () => {
    apps = await openTwoApps('clock', {}, { clock })
  })
  after(() => apps?.close())

  test('a process whose clock is off by more than 2 s refuses samples without a time and says so, until it is right', async () => {
    await isServed()
    for (const [ms, side] of [
      [2_600, 'ahead of'],
      [-2_600, 'behind'],
    ] as const) {
      aheadMs = ms
      await isRefused(side)
      aheadMs = 0
      await isServed()
    }
  })
}
