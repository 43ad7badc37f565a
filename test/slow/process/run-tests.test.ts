import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { childEnv } from '../../support/child-env.ts'
import { eventually } from '../../support/settle.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

// Not by a URL, which counts as an import: the runner can start a cluster, but starts none for these files.
const RUNNER = join(import.meta.dirname, '../../../tools/test/run-tests.ts')
const noProc = existsSync('/proc/self/stat') ? false : 'this system has no /proc'
const root = temporaryFolder()
const RUN_MS_MAX = 120_000

const FAILS = `test('fails', () => { throw new Error('it fails') })`
/** Starts a child, writes its number to a file, and waits forever. */
const WAITS = `
import { spawn } from 'node:child_process'
import { renameSync, writeFileSync } from 'node:fs'
test('waits', async () => {
  writeFileSync('pid.tmp', String(spawn('sleep', ['600'], { stdio: 'inherit' }).pid))
  renameSync('pid.tmp', 'pid')
  await new Promise((resolve) => setTimeout(resolve, 600_000))
})`

/** Makes a project of these test files. */
function projectOf(bodies: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(root, 'project-'))
  for (const [file, body] of Object.entries(bodies)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), `import { test } from 'node:test'\n${body}\n`)
  }
  return folder
}

function runTests(folder: string, words: readonly string[], env: object = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [RUNNER, ...words], {
    cwd: folder,
    env: { ...childEnv, ...env },
    encoding: 'utf8',
    // This thread is blocked meanwhile, so no other limit would end it.
    timeout: RUN_MS_MAX,
    killSignal: 'SIGKILL',
  })
  return { status, output: stdout + stderr }
}

/** Waits until the child of WAITS has ended; one that is not waited for yet has ended, too. */
async function isGone(folder: string): Promise<void> {
  const pid = readFileSync(join(folder, 'pid'), 'utf8')
  await eventually(() => {
    const status = existsSync(`/proc/${pid}`) ? readFileSync(`/proc/${pid}/status`, 'utf8') : ''
    assert.match(status, /^$|^State:\tZ/m)
  }, 5_000)
}

test('run-tests runs every file that it is given, and names those without tests', () => {
  const left = `
import { spawn } from 'node:child_process'
test('leaves a process', () => { spawn('sleep', ['600'], { stdio: 'inherit' }).unref() })`
  const failing = ['test/a.test.ts', 'test/slow/other/a.test.ts', 'tools/a.test.ts']
  const bodies = Object.fromEntries(failing.map((file) => [file, FAILS]))
  const folder = projectOf({ ...bodies, 'test/none.test.ts': '', 'test/left.test.ts': left })
  const { status, output } = runTests(folder, [
    't*/**/[an]*.test.ts',
    join(folder, 'test/left.test.ts'),
  ])
  assert.equal(status, 1, output)
  for (const file of failing) assert.ok(output.includes(`✖ ${file} `), output)
  assert.ok(output.includes('✔ test/left.test.ts '), output)
  assert.match(output, /No test ran in test\/none\.test\.ts\n/)
})

test('run-tests --nightly gives each test 20 minutes, other runs 10', () => {
  const tells = `test('tells', () => console.log(process.execArgv.join(' ')))`
  const folder = projectOf({ 'test/a.test.ts': tells })
  const limitOf = (...words: string[]) => {
    const { output } = runTests(folder, [...words, 'test/a.test.ts'])
    // The runner of Node passes limits of its own first. The last one applies.
    return [...output.matchAll(/--test-timeout=(\d+)/g)].at(-1)?.[1]
  }
  assert.equal(limitOf('--nightly'), '1200000')
  assert.equal(limitOf(), '600000')
})

test('run-tests --bail ends what other groups have started', { skip: noProc }, async () => {
  const untilStarted = `
import { existsSync } from 'node:fs'
test('fails', async () => {
  while (!existsSync('pid')) await new Promise((resolve) => setTimeout(resolve, 10))
  throw new Error('it fails')
})`
  const bodies = {
    'test/a.test.ts': `// Alone: it says so.\n${untilStarted}`,
    'test/b.test.ts': WAITS,
  }
  const folder = projectOf(bodies)
  const { status, output } = runTests(folder, ['--bail', 'test/*.test.ts'])
  assert.equal(status, 1, output)
  assert.match(output, /it fails/)
  await isGone(folder)
})

/** Neither the time limit of a test nor SIGTERM reaches a blocked thread. */
const BLOCKS = `test('blocks', () => { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0) })`

test('run-tests kills a group whose thread is blocked, and names its file', {
  skip: noProc,
}, () => {
  const folder = projectOf({ 'test/a.test.ts': `test('a', () => {})`, 'test/b.test.ts': BLOCKS })
  const { status, output } = runTests(folder, ['test/*.test.ts'], { WEIR_TEST_SILENCE_MS: '3000' })
  assert.equal(status, 1, output)
  assert.match(output, /No test has ended for 3 s/)
  assert.match(output, /No test ran in .*test\/b\.test\.ts/)
})

test('run-tests --bail kills a group whose thread is blocked', { skip: noProc }, () => {
  const fails = `// Alone: it says so.\n${FAILS}`
  const folder = projectOf({ 'test/a.test.ts': fails, 'test/b.test.ts': BLOCKS })
  const { status, output } = runTests(folder, ['--bail', 'test/*.test.ts'])
  assert.equal(status, 1, output)
  assert.match(output, /it fails/)
})

test('run-tests ends its groups and what they have started at SIGTERM', {
  skip: noProc,
}, async () => {
  const folder = projectOf({ 'test/a.test.ts': WAITS })
  const words = [RUNNER, 'test/a.test.ts']
  const runner = spawn(process.execPath, words, { cwd: folder, env: childEnv, stdio: 'ignore' })
  await eventually(() => assert.ok(existsSync(join(folder, 'pid'))))
  runner.kill('SIGTERM')
  assert.deepEqual(await once(runner, 'exit'), [143, null])
  await isGone(folder)
})
