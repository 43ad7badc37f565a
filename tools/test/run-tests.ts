/**
 * `npm test`: types, format and lint, then every test file under node:test.
 * Arguments are passed on as file patterns, so `npm test -- src/time/*.test.ts` runs a part.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { startClusterAhead } from '../../test/support/cassandra.ts'
import { buildStudio } from '../studio/build-studio.ts'
import { COSTS_VARIABLE } from './file-cost.ts'
import { provision } from './provision.ts'
import { groupFiles } from './test-groups.ts'

/** A test that takes longer hangs, also on a machine that others slow down; a file has many. */
const [TEST_MS_MAX, FILE_MS_MAX] = [1_200_000, 2_400_000]

/** Of those that share the nodes of a cluster one after every other group, behind the first, while the nodes start. */
function spread(others: readonly string[], shared: readonly string[]): string[] {
  const FIRST = 8
  const order = others.slice(0, FIRST)
  const [rest, last] = [others.slice(FIRST), [...shared]]
  for (const entry of rest) order.push(entry, ...last.splice(0, 1))
  return [...order, ...last]
}

async function check(command: string, args: readonly string[]): Promise<void> {
  const [status] = await once(spawn(command, args, { stdio: 'inherit' }), 'close')
  if (status !== 0) process.exit(status ?? 1)
}

const chosen = process.argv.slice(2)
const patterns = chosen.length > 0 ? chosen : ['src/**/*.test.ts', 'test/**/*.test.ts']
/** Programs of others are installed from the internet: only `npm run test:programs` runs them. */
const isLeftOut = (file: string) => chosen.length === 0 && file.startsWith('test/programs/')
const files = patterns
  .flatMap((pattern) => globSync(pattern))
  .filter((file) => !isLeftOut(file))
  .sort()
if (files.length === 0) {
  console.error(`No test file matches ${patterns.join(' ')}`)
  process.exit(1)
}
// The studio knows the API by types that are made of the service.
if (chosen.length === 0) {
  await check(process.execPath, ['tools/studio/make-types.ts'])
  await Promise.all([
    check('tsc', ['--noEmit']),
    check('tsc', ['-p', 'studio']),
    check('biome', ['check', '.']),
  ])
}
const missing = provision(files)
// Before all tests, not amid them: services of other tests would see one build go and the next come.
if (files.some((file) => file.startsWith('test/slow/browser/'))) await buildStudio()
// Files wait for disks, threads and browsers a quarter of their time: one more than there are cores, where there is memory.
const spare = totalmem() >= 8 * 2 ** 30 ? 1 : 0
const concurrency = availableParallelism() + spare
const isOnCluster = (file: string) => file.startsWith('test/slow/cluster/')
if (files.some(isOnCluster)) startClusterAhead()
// What processes share is stripped of its types and compiled once.
process.env.NODE_COMPILE_CACHE ??= resolve('node_modules/.cache/weir-tests')
const folder = mkdtempSync(join(tmpdir(), 'weir-test-groups-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
// Pages first, as they take longest: begun last they would run alone.
const isPage = (file: string) => file.startsWith('test/slow/browser/')
const costs = join(folder, 'costs.jsonl')
process.env[COSTS_VARIABLE] ??= costs
const others = groupFiles(
  [...files.filter(isPage), ...files.filter((file) => !isPage(file) && !isOnCluster(file))],
  folder,
)
// Not `node --test`, which puts files into an order of its own.
const events = run({
  ...{
    files: spread(
      others,
      files.filter(isOnCluster).flatMap((file) => groupFiles([file], folder)),
    ),
    concurrency,
    timeout: FILE_MS_MAX,
  },
  execArgv: [`--test-timeout=${TEST_MS_MAX}`],
})
events.on('test:fail', () => {
  process.exitCode = 1
})
await pipeline(events, new spec(), process.stdout, { end: false })
for (const { name, why, files: skipped } of missing)
  console.log(`SKIPPED for lack of ${name} (${why}): ${skipped.join(', ')}`)
const isMissingAllowed = missing.length === 0 || process.env.CI !== 'true'
process.exit(isMissingAllowed ? process.exitCode : 1)
