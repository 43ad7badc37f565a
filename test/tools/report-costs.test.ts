import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cpuSecondsOf } from '../../tools/test/file-cost.ts'
import { reportSlowest } from '../../tools/test/report-costs.ts'

test('reportSlowest() lists the ten files with the most CPU time, the costliest first', () => {
  const costs = Array.from({ length: 12 }, (_, at) => ({
    file: `${at}.test.ts`,
    seconds: 100 - at,
    cpuSeconds: at,
  }))
  const lines = reportSlowest(costs).split('\n')
  assert.equal(lines.length, 12)
  assert.equal(lines[0], 'The slowest of 12 test files')
  assert.equal(lines[2], '    11.0    89.0  11.test.ts')
  assert.equal(lines[11], '     2.0    98.0  2.test.ts')
})

test('cpuSecondsOf() grows with the work of a process', () => {
  const before = cpuSecondsOf(process.pid)
  const { user, system } = process.cpuUsage()
  const spent = () => {
    const used = process.cpuUsage({ user, system })
    return (used.user + used.system) / 1e6
  }
  while (spent() < 0.1) JSON.stringify(process.versions)
  assert.ok(cpuSecondsOf(process.pid) - before >= 0.08)
})
