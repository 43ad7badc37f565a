import assert from 'node:assert/strict'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { test } from 'node:test'
import { bundleService, fitToRelease } from '../../tools/release/bundle.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const sources = globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts'))

/** What makes a file the first one of a thread or of a child process. */
const RUNS_ALONE =
  /import \{[^}]*\b(?:parentPort|workerData)\b[^}]*\} from 'node:worker_threads'|\bserveThread\(|\bserveRunner\(/

/** Files that threads and runners import. */
const SHARED = ['src/base/killable-thread.ts', 'src/sql/run/serve-runner.ts']

/** Files that start programs: a runner, what isolates it, and npm and git for the command line. */
const STARTS_PROGRAMS = [
  'src/connectors/driver/install-driver.ts',
  'src/sql/run/isolation.ts',
  'src/sql/run/runner-command.ts',
  'src/sql/run/spawn-runner.ts',
  'src/version-command.ts',
]

test('bundleService() makes a bundle of every thread and child process, which loads no file of its own', async () => {
  for (const isSingleFile of [false, true]) {
    const folder = temporaryFolder()
    const { threads, packages } = await bundleService(folder, { isSingleFile })
    const alone = sources.filter(
      (file) => RUNS_ALONE.test(readFileSync(file, 'utf8')) && !SHARED.includes(file),
    )
    const expected = alone.map((file) => basename(file).replace(/\.ts$/, '.js'))
    assert.ok(expected.length >= 11, `${expected}`)
    assert.deepEqual([...threads].sort(), expected.sort())
    for (const name of threads) {
      const code = readFileSync(join(folder, name), 'utf8')
      assert.doesNotMatch(code, /^(?:import|export) .*from ["']\.\.?\//m, name)
    }
    assert.ok(packages.has('node_modules/pino'))
    const programs = isSingleFile ? ['single-file.js'] : ['main.js', 'weir.js']
    for (const name of programs) assert.ok(existsSync(join(folder, name)), name)
    const maps = readdirSync(folder).filter((name) => name.endsWith('.map'))
    for (const name of threads) assert.ok(maps.includes(`${name}.map`), name)
  }
})

test('a file that starts a program is one that a release was tried with', () => {
  const starting = sources.filter((file) =>
    /from 'node:(?:child_process|cluster)'/.test(readFileSync(file, 'utf8')),
  )
  assert.deepEqual(starting.sort(), STARTS_PROGRAMS)
})

test('fitToRelease() refuses what depends on the place of a source file', () => {
  const file = resolve('src/base/some.ts')
  const fit = (code: string) =>
    fitToRelease(code, file, { isSingleFile: false, threads: new Map() })
  assert.throws(
    () => fit('const here = import.meta.dirname'),
    /src\/base\/some\.ts.*import\.meta\.dirname/,
  )
  assert.throws(() => fit("const url = new URL('../x.ts', import.meta.url)"), /import\.meta\.url/)
  assert.equal(fit('// import.meta.dirname is not used'), '// import.meta.dirname is not used')
  const text = "const load = createRequire(import.meta.url)\nconst kit = load('./kit.ts')"
  assert.match(fit(`\n${text}`), /^\s*const kit = require\('\.\/kit\.ts'\)$/)
})

test('fitToRelease() keeps two threads of one name apart', () => {
  const threads = new Map<string, string>()
  const code = "new Worker(new URL('./thread.ts', import.meta.url))"
  fitToRelease(code, resolve('src/a/link.ts'), { isSingleFile: false, threads })
  assert.deepEqual([...threads.keys()], ['thread'])
  assert.throws(
    () => fitToRelease(code, resolve('src/b/link.ts'), { isSingleFile: false, threads }),
    /Two threads are named thread\.ts/,
  )
})
