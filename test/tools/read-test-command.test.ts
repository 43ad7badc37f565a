import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseTestCommand } from '../../tools/test/read-test-command.ts'

test('without words all files run, after types and lint', () => {
  const command = parseTestCommand([])
  assert.deepEqual(command.patterns, ['src/**/*.test.ts', 'test/**/*.test.ts'])
  assert.equal(command.namesFiles, false)
  assert.equal(command.isQuick, false)
})

test('named files run alone', () => {
  const { patterns, namesFiles } = parseTestCommand(['src/time/*.test.ts'])
  assert.deepEqual({ patterns, namesFiles }, { patterns: ['src/time/*.test.ts'], namesFiles: true })
})

test('--changed counts from the last commit, --since from the one it names; both are of the quick run', () => {
  assert.equal(parseTestCommand(['--quick']).changedSince, undefined)
  assert.equal(parseTestCommand(['--quick', '--changed']).changedSince, 'HEAD')
  assert.equal(parseTestCommand(['--quick', '--since', 'main']).changedSince, 'main')
  assert.throws(() => parseTestCommand(['--changed']), /belong to npm run test:quick/)
})

test('the nightly run takes names of parts and of files, and lists them', () => {
  assert.deepEqual(parseTestCommand(['--nightly', 'power']).patterns, ['test/power/*.test.ts'])
  assert.deepEqual(parseTestCommand(['--nightly', 'a.test.ts']).patterns, ['a.test.ts'])
  assert.throws(
    () => parseTestCommand(['--nightly', 'tower']),
    /no part "tower": name a test file or one of cluster, faults, kill, power/,
  )
})

test('an option that does not exist is refused', () => {
  assert.throws(() => parseTestCommand(['--quickly']), /--quickly/)
})
