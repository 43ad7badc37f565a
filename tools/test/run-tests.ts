/**
 * The test commands: types, format and lint, then test files under node:test.
 *
 *     npm test                          everything
 *     npm test -- 'src/time/*.test.ts'  these files only, without types and lint
 *     npm run test:quick                all that needs no browser, JVM, database server or process of its own
 *     npm run test:quick -- --changed   of those, the tests that reach what changed since the last commit
 *     npm test -- --bail               ends with the first test that fails; works with all of them
 *     npm run test:nightly              everything with all rounds; a name such as `power` chooses a part
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { buildStudio } from '../studio/build-studio.ts'
import { changedFiles } from './changed-files.ts'
import { checkSources } from './check-sources.ts'
import { COSTS_VARIABLE } from './file-cost.ts'
import { killStartedProcesses } from './process-tree.ts'
import { provision } from './provision.ts'
import { readTestCommand } from './read-test-command.ts'
import { reportCosts } from './report-costs.ts'
import { selectTests } from './select-tests.ts'
import { isIn } from './test-tiers.ts'

const command = readTestCommand(process.argv.slice(2))
if (command.isNightly) process.env.WEIR_TEST_ROUNDS = 'nightly'
// These modules read the variable when they are loaded: limits of time, and how many nodes the cluster has.
const { runGroups } = await import('./run-groups.ts')
const { startClusterAhead } = await import('../../test/support/cassandra.ts')
const { changedSince } = command
const changed = changedSince === undefined ? undefined : changedFiles(changedSince)
const files = selectTests(command, changed)
if (!command.namesFiles && !(await checkSources(changed))) process.exit(1)
if (files.length === 0) {
  console.log('No test reaches what has changed.')
  process.exit(0)
}

const missing = provision(files)
// Before all tests, not amid them: services of other tests would see one build go and the next come.
if (files.some((file) => isIn('browser', file))) await buildStudio()
if (files.some((file) => isIn('cluster', file))) startClusterAhead()

// What processes share is stripped of its types and compiled once.
process.env.NODE_COMPILE_CACHE ??= resolve('node_modules/.cache/weir-tests')
const folder = mkdtempSync(join(tmpdir(), 'weir-test-groups-'))
process.once('exit', () => {
  killStartedProcesses()
  rmSync(folder, { recursive: true, force: true })
})
process.env[COSTS_VARIABLE] ??= join(folder, 'costs.jsonl')

// Groups would run on when this process ended by the signal.
const stop = new AbortController()
let endedBy: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | undefined
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    endedBy = signal
    stop.abort()
  })
}
const isGreen = await runGroups(files, folder, command.isBailing, stop)
if (endedBy !== undefined) process.exit(128 + constants.signals[endedBy])
reportCosts(process.env[COSTS_VARIABLE])
for (const { name, why, files: skipped } of missing)
  console.log(`SKIPPED for lack of ${name} (${why}): ${skipped.join(', ')}`)
const isMissingAllowed = missing.length === 0 || process.env.CI !== 'true'
process.exit(isGreen && isMissingAllowed ? 0 : 1)
