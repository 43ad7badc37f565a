/**
 * `npm test`: types, format and lint, then every test file under node:test.
 * Arguments are passed on as file patterns, so `npm test -- src/time/*.test.ts` runs a part.
 */
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { provision } from './provision.ts'
import { makeStudioTypes } from './studio/make-types.ts'

function run(command: string, args: readonly string[]): void {
  const { status } = spawnSync(command, args, { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

const chosen = process.argv.slice(2)
const patterns = chosen.length > 0 ? chosen : ['src/**/*.test.ts', 'test/**/*.test.ts']
const files = patterns.flatMap((pattern) => globSync(pattern)).sort()
if (files.length === 0) {
  console.error(`No test file matches ${patterns.join(' ')}`)
  process.exit(1)
}
if (chosen.length === 0) {
  run('tsc', ['--noEmit'])
  await makeStudioTypes()
  run('tsc', ['-p', 'studio'])
  run('biome', ['check', '.'])
}
const missing = provision(files)
// Node keeps one core free of tests by itself; many files wait for disks and browsers.
const atOnce = `--test-concurrency=${availableParallelism()}`
const args = ['--test', '--test-timeout=600000', atOnce, ...files]
const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' })
for (const { name, why, files: skipped } of missing)
  console.log(`SKIPPED for lack of ${name} (${why}): ${skipped.join(', ')}`)
const isMissingAllowed = missing.length === 0 || process.env.CI !== 'true'
process.exit(status === 0 && !isMissingAllowed ? 1 : (status ?? 1))
