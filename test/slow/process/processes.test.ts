// Alone: it counts, and sends signals to, all processes that its process has started.
/** The processes of runners: what they have, how they end, and that none is left. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, readlinkSync } from 'node:fs'
import { test } from 'node:test'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { SqlRunError } from '../../../src/sql/index.ts'
import {
  descendantsOf,
  eventually,
  gather,
  openRunners,
  programOf,
  runnerPids,
} from '../../support/sql-runs.ts'

const ENDLESS =
  'WITH RECURSIVE t(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM t) SELECT count(*) FROM t'
const noProc = existsSync('/proc/self/stat') ? false : 'this system has no /proc'

function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}

test('a runner has no environment, no folder, no files to write and only its own pipes', {
  skip: noProc,
}, async (t) => {
  const runners = openRunners(t, { runnersMax: 1 })
  await gather(runners, programOf('SELECT 1'))
  const [pid] = runnerPids()
  assert.equal(readFileSync(`/proc/${pid}/environ`, 'latin1'), '')
  assert.equal(readlinkSync(`/proc/${pid}/cwd`), '/')
  const limits = readFileSync(`/proc/${pid}/limits`, 'latin1')
  assert.match(limits, /Max file size +0 +0 /)
  assert.match(limits, /Max core file size +0 +0 /)
  assert.match(limits, /Max data size +\d+ +\d+ /)
  const line = readFileSync(`/proc/${pid}/cmdline`, 'latin1')
  assert.doesNotMatch(line, /--allow-(?:net|child|worker|addons|wasi|inspector|ffi)/)
})

test('a runner that dies fails the call it has, and no other', { skip: noProc }, async (t) => {
  const runners = openRunners(t, { runnersMax: 2 })
  const dying = gather(runners, programOf(ENDLESS), { owner: 'a' })
  const outcome = assert.rejects(dying, (error: SqlRunError) => error.reason === 'crash')
  await eventually(() => runners.figures.busy === 1 && runnerPids().length === 2, 'two runners')
  const before = runnerPids()
  assert.deepEqual(await gather(runners, programOf('SELECT 1'), { owner: 'b' }), [[1n]])
  for (const pid of before) process.kill(pid, 'SIGKILL')
  await outcome
  // A call would go to the idle one, too, until its end is noticed.
  await eventually(() => !before.some(isAlive), 'the end of both')
  for (let round = 0; round < 5; round += 1) await nextIteration()
  assert.deepEqual(await gather(runners, programOf('SELECT 2'), { owner: 'b' }), [[2n]])
  assert.ok(runnerPids().every((pid) => !before.includes(pid)))
})

test('idle runners that have died fail no call', { skip: noProc }, async (t) => {
  const runners = openRunners(t, { runnersMax: 2 })
  for (let round = 0; round < 3; round += 1) {
    // Each waits for the other, so that both runners have started.
    const met = Promise.withResolvers<void>()
    let count = 0
    const onRows = (): Promise<void> => {
      count += 1
      if (count === 2) met.resolve()
      return met.promise
    }
    const meet = (owner: string) => gather(runners, programOf('SELECT 1'), { owner, onRows })
    await Promise.all([meet('a'), meet('b')])
    const before = runnerPids()
    assert.equal(before.length, 2)
    for (const pid of before) process.kill(pid, 'SIGKILL')
    // Nothing lets the service notice it before the next call.
    while (before.some(isAlive)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
    const values = { '@A': 'x'.repeat(round * 1_000_000) }
    const program = programOf('SELECT length(:v0)')
    assert.deepEqual(await gather(runners, program, { values }), [[BigInt(round * 1_000_000)]])
  }
  assert.equal(runners.figures.ended.crash, 0)
})

test('a runner whose shell is killed goes with it', { skip: noProc }, async (t) => {
  const runners = openRunners(t, { runnersMax: 1 })
  const outcome = assert.rejects(gather(runners, programOf(ENDLESS)), SqlRunError)
  await eventually(() => runners.figures.busy === 1, 'a run')
  const pids = descendantsOf(process.pid)
  const shells = pids.filter((pid) => !runnerPids().includes(pid))
  assert.equal(shells.length, 1)
  process.kill(shells[0], 'SIGKILL')
  await outcome
  await eventually(() => !pids.some(isAlive), 'the end of shell and runner')
})

test('signals that stop a service leave its runners alone', { skip: noProc }, async (t) => {
  const runners = openRunners(t, { runnersMax: 1 })
  await gather(runners, programOf('SELECT 1'))
  const [before] = runnerPids()
  for (const pid of descendantsOf(process.pid)) {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.kill(pid, signal)
  }
  assert.deepEqual(await gather(runners, programOf('SELECT 2')), [[2n]])
  assert.deepEqual(runnerPids(), [before])
})

test('SqlRunners.close() leaves no process behind, whatever it did', {
  skip: noProc,
}, async (t) => {
  const runners = openRunners(t, { runnersMax: 3 })
  const calls = ['a', 'b', 'c'].map((owner) =>
    gather(runners, programOf(ENDLESS), { owner }).catch(() => {}),
  )
  await eventually(() => runners.figures.busy > 0, 'a run')
  const pids = descendantsOf(process.pid)
  await runners.close()
  await Promise.all(calls)
  await eventually(() => !pids.some(isAlive), 'the end of all processes')
  assert.deepEqual(runnerPids(), [])
})

test('SqlRunners.close() while a runner starts ends that one too', { skip: noProc }, async (t) => {
  const runners = openRunners(t, { runnersMax: 2 })
  const call = gather(runners, programOf('SELECT 1'))
  const refused = assert.rejects(call, { code: 'shutting_down' })
  await runners.close()
  await refused
  assert.deepEqual(runnerPids(), [])
})

test('a service that is killed leaves no runner, not even one in an endless query', {
  skip: noProc,
}, async (t) => {
  const service = spawn(process.execPath, ['test/support/sql-run-child.ts'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => service.kill('SIGKILL'))
  const [line] = await once(service.stdout, 'data')
  const pids = String(line).trim().split(' ').map(Number)
  assert.ok(pids.length >= 2 && pids.every(isAlive), `started ${pids}`)
  service.kill('SIGKILL')
  await eventually(() => !pids.some(isAlive), 'the end of all processes')
})
