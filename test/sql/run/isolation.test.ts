/** What the system has taken from runners before they start. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, readlinkSync } from 'node:fs'
import { test } from 'node:test'
import { findIsolation, isolationsOf } from '../../../src/sql/run/isolation.ts'
import { eventually, gather, programOf, runnerPids, sharedRunners } from '../../support/sql-runs.ts'

const skip = existsSync('/usr/bin/setpriv') ? false : 'there is no setpriv'
const isRoot = process.getuid?.() === 0

function statusOf(pid: number | 'self', name: string): string {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1')
  return new RegExp(`^${name}:[ \\t]*(.*)$`, 'm').exec(status)?.[1] ?? ''
}

test('a runner has no new privileges, and no capability', { skip }, async () => {
  const runners = sharedRunners()
  assert.deepEqual(await gather(runners, programOf('SELECT 1')), [[1n]])
  const [pid] = runnerPids()
  assert.equal(statusOf(pid, 'NoNewPrivs'), '1')
  assert.match(statusOf(pid, 'CapEff'), /^0+$/)
  assert.match(statusOf(pid, 'CapPrm'), /^0+$/)
})

test('of a service that is root, a runner is nobody and has no network', {
  skip: skip || (isRoot ? false : 'only root can'),
}, async () => {
  const runners = sharedRunners()
  await gather(runners, programOf('SELECT 1'))
  const [pid] = runnerPids()
  assert.match(statusOf(pid, 'Uid'), /^65534\t65534\t65534\t65534/)
  assert.equal(statusOf(pid, 'Groups').trim(), '')
  assert.notEqual(readlinkSync(`/proc/${pid}/ns/net`), readlinkSync('/proc/self/ns/net'))
  // It can be ended and measured all the same.
  process.kill(pid, 'SIGKILL')
  await eventually(() => !runnerPids().includes(pid), 'the end of the runner')
})

test('findIsolation() passes over what does not work, and ends with nothing', async () => {
  const meaning = 'never'
  const broken = [
    { command: ['/nonexistent/setpriv'], meaning },
    { command: ['/bin/false'], meaning },
  ]
  const none = await findIsolation(broken, 64)
  assert.deepEqual(none.command, [])
  assert.match(none.meaning, /privileges of the service/)
})

test('isolationsOf() tries the strongest first, and needs unshare only for the network', () => {
  const meanings = (unshare: string | undefined, root: boolean) =>
    isolationsOf({ setpriv: '/usr/bin/setpriv', unshare }, root).map(({ meaning }) =>
      meaning.replace(/^.*: no new privileges,? ?/, ''),
    )
  assert.deepEqual(meanings('/usr/bin/unshare', true), [
    'no capabilities, user 65534, no network',
    'no capabilities, user 65534',
    'no capabilities, no network',
    'no capabilities',
    '',
  ])
  assert.deepEqual(meanings('/usr/bin/unshare', false), ['no network', ''])
  assert.deepEqual(meanings(undefined, false), [''])
})
