/**
 * `npm run mutate`: changes lines of `src` chosen at random, one at a time, in a copy of the last commit, and lists those that
 * changes the tests do not notice.
 *
 *     npm run mutate -- --seed 7 --count 30     the same choice again
 *     npm run mutate -- --seed 7 --skip 3,8     leaves out changes that cannot alter behaviour; others take their place
 *     npm run mutate -- --seed 7 --list         only prints the choice
 *     npm run mutate -- --seed 7 --only 4       only the change with this number
 *     npm run mutate -- --seed 7 --slow         runs the tests of test/slow on what the quick ones do not notice
 */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Random } from '../../test/support/random.ts'
import { readImportGraph } from '../test/import-graph.ts'
import { reaches } from '../test/select-tests.ts'
import { isProgramTest, isQuickTest } from '../test/test-tiers.ts'
import { findMutations, type Mutation } from './find-mutations.ts'

/** A change that hangs a test has been noticed; slow machines take a while for the rest. */
const RUN_MS_MAX = 900_000
const OUTPUT_BYTES_MAX = 256 * 2 ** 20

interface ChosenLine {
  readonly number: number
  readonly file: string
  readonly line: number
  readonly mutation: Mutation
}

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    count: { type: 'string', default: '30' },
    skip: { type: 'string', default: '' },
    only: { type: 'string', default: '' },
    list: { type: 'boolean', default: false },
    slow: { type: 'boolean', default: false },
  },
})
const numbersIn = (text: string) => new Set(text.split(',').filter(Boolean).map(Number))

/** One change for each line that has any; lines are chosen with equal chance. */
function chooseLines(seed: number, count: number, skipped: ReadonlySet<number>): ChosenLine[] {
  const random = new Random(seed)
  const lines = sourceFiles().flatMap((file) => linesOf(file, random))
  const chosen: ChosenLine[] = []
  for (let number = 1; chosen.length < count && lines.length > 0; number++) {
    const [taken] = lines.splice(random.integer(0, lines.length), 1)
    if (!skipped.has(number)) chosen.push({ ...taken, number })
  }
  return chosen
}

function sourceFiles(): string[] {
  return globSync('src/**/*.ts')
    .filter((file) => !file.endsWith('.test.ts'))
    .sort()
}

function linesOf(file: string, random: Random): Omit<ChosenLine, 'number'>[] {
  const text = readFileSync(file, 'utf8')
  const byLine = Map.groupBy(
    findMutations(text),
    ({ from }) => text.slice(0, from).split('\n').length,
  )
  return [...byLine].map(([line, mutations]) => ({ file, line, mutation: random.pick(mutations) }))
}

function describe({ number, file, line, mutation }: ChosenLine): string {
  const text = readFileSync(file, 'utf8')
  const { from, until, replacement } = mutation
  const before = text.slice(from, until).replaceAll(/\s+/g, ' ')
  return `${number}. ${file}:${line}  ${before} → ${replacement.replaceAll(/\s+/g, ' ')}`
}

/** The folder in which the tests run on changed sources. */
function makeCopy(): string {
  const own = mkdtempSync(join(tmpdir(), 'weir-mutate-'))
  // Runners of SQL read the sources as another user: a folder that is closed to them fails their tests by itself.
  chmodSync(own, 0o755)
  const folder = join(own, 'weir')
  execFileSync('git', ['worktree', 'add', '--quiet', '--detach', folder, 'HEAD'])
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  process.once('exit', () => {
    execFileSync('git', ['worktree', 'remove', '--force', folder])
    rmSync(join(folder, '..'), { recursive: true, force: true })
  })
  return folder
}

/** The test that notices the change in the copy, by failing or by not ending; undefined when none of these does. */
function noticing(copy: string, tests: readonly string[]): string | undefined {
  if (tests.length === 0) return undefined
  const args = ['tools/test/run-tests.ts', '--bail', ...tests]
  const { status, stdout } = spawnSync(process.execPath, args, {
    cwd: copy,
    // Not by the link of the copy: a test compares the paths of what is compiled.
    env: {
      ...process.env,
      CI: 'true',
      NODE_COMPILE_CACHE: resolve('node_modules/.cache/weir-tests'),
    },
    encoding: 'utf8',
    maxBuffer: OUTPUT_BYTES_MAX,
    timeout: RUN_MS_MAX,
  })
  if (status === 0) return undefined
  return /✖ .*/.exec(stdout ?? '')?.[0] ?? 'a test that did not end'
}

function allTests(): string[] {
  return [...graph.keys()].filter((file) => file.endsWith('.test.ts') && !isProgramTest(file))
}

/** The tests of a change, those that load its file first. */
function stagesFor(file: string): { name: string; tests: string[] }[] {
  const tests = allTests()
  const quick = tests.filter(isQuickTest)
  const near = quick.filter((test) => reaches(graph, test, file))
  const beside = near.filter((test) => dirname(test).startsWith(dirname(file)))
  const stages = [
    { name: 'the tests beside it', tests: beside },
    {
      name: 'the quick tests that reach it',
      tests: near.filter((test) => !beside.includes(test)),
    },
    { name: 'the other quick tests', tests: quick.filter((test) => !near.includes(test)) },
  ]
  const slow = tests.filter((test) => !isQuickTest(test))
  return values.slow ? [...stages, { name: 'the slow tests', tests: slow }] : stages
}

const seed = Number(values.seed)
console.log(`Seed ${seed}`)
const graph = readImportGraph()
const chosen = chooseLines(seed, Number(values.count), numbersIn(values.skip))
const wanted = numbersIn(values.only)
const lines = chosen.filter(({ number }) => wanted.size === 0 || wanted.has(number))
if (values.list) {
  for (const line of lines) console.log(describe(line))
  process.exit(0)
}
const copy = makeCopy()
const failing = noticing(copy, values.slow ? allTests() : allTests().filter(isQuickTest))
if (failing !== undefined) {
  console.error(`Without any change this fails: ${failing}`)
  process.exit(1)
}
let noticed = 0
for (const line of lines) {
  const path = join(copy, line.file)
  const { from, until, replacement } = line.mutation
  const text = readFileSync(line.file, 'utf8')
  writeFileSync(path, text.slice(0, from) + replacement + text.slice(until))
  console.log(describe(line))
  let outcome = 'NOT NOTICED'
  for (const { name, tests } of stagesFor(line.file)) {
    const failed = noticing(copy, tests)
    if (failed === undefined) continue
    outcome = `noticed by ${name}: ${failed}`
    noticed += 1
    break
  }
  writeFileSync(path, text)
  console.log(`   ${outcome}`)
}
console.log(`${noticed} of ${lines.length} changes were noticed.`)
