/** A service whose output nobody reads goes on, stops when asked to, and ends when it must. */

import assert from 'node:assert/strict'
import { type ChildProcess, type StdioOptions, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { signIn } from '../../support/caller.ts'
import { childEnv } from '../../support/child-env.ts'
import { keepablePort } from '../../support/port.ts'
import { COMMAND_FILE, SERVICE_FILE } from '../../support/program.ts'
import { startServiceOn } from '../../support/service-on.ts'
import { eventually } from '../../support/settle.ts'
import { runWeir, startWeir } from '../../support/weir-command.ts'

const folder = mkdtempSync(join(tmpdir(), 'weir-output-'))
const started: ChildProcess[] = []
after(() => {
  for (const child of started) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

/** A hang is a failure, not a test run without an end. */
const within = { timeout: 60_000 }

/** More than a pipe holds. */
const FLOOD_LINES = 3_000

/** Loaded into the service: SIGUSR2 writes from the main thread and a thread, SIGHUP is a fatal error. */
const FAULTS = `
import { isMainThread, Worker } from 'node:worker_threads'
const flood = () => {
  for (let n = 0; n < ${FLOOD_LINES}; n += 1) console.error('a line of the flood ' + n)
  for (let n = 0; n < ${FLOOD_LINES}; n += 1) console.log('a line of the flood ' + n)
}
if (isMainThread) {
  process.on('SIGUSR2', () => {
    flood()
    new Worker('(' + flood + ')()', { eval: true })
    process.emitWarning('a warning')
  })
  process.on('SIGHUP', () => { throw new Error('a fatal error') })
}
`
const faults = join(folder, 'faults.mjs')
writeFileSync(faults, FAULTS)

interface Lost {
  readonly child: ChildProcess
  readonly url: string
  readonly exit: Promise<readonly [number | null, NodeJS.Signals | null]>
}

const PASSWORD = 'correct horse battery'

async function start(
  name: string,
  stdio: StdioOptions,
  [program, ...words]: readonly string[] = [process.execPath, SERVICE_FILE],
): Promise<Lost> {
  const port = await keepablePort()
  const env = {
    ...childEnv,
    NODE_OPTIONS: `--import=${pathToFileURL(faults).href}`,
    WEIR_DATA_DIR: join(folder, name),
    WEIR_PORT: String(port),
    WEIR_LOG_LEVEL: 'debug',
    WEIR_OWNER_PASSWORD: PASSWORD,
    WEIR_SQL_RUNNERS: '1',
  }
  const child = spawn(program, words, { env, stdio, detached: true })
  started.push(child)
  const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  const url = `http://127.0.0.1:${port}`
  await eventually(async () => assert.equal(await healthOf(url), 200))
  return { child, url, exit }
}

async function healthOf(url: string): Promise<number> {
  try {
    return (await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(5_000) })).status
  } catch {
    return 0
  }
}

/** Closes the reading ends, as a supervisor that dies. */
function hangUp({ child }: Lost): void {
  child.stdout?.destroy()
  child.stderr?.destroy()
}

async function flood(url: string, pid: number): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    process.kill(pid, 'SIGUSR2')
    assert.equal(await healthOf(url), 200)
  }
}

async function floodAndServe(url: string, pid: number): Promise<void> {
  await flood(url, pid)
  // A process that runs SQL starts and answers.
  const Cookie = await signIn({ url }, 'owner@localhost', PASSWORD)
  const query = await fetch(`${url}/api/gql?s=SELECT%2042`, { headers: { Cookie } })
  assert.match(await query.text(), /\[42\]/)
}

/** How outputs are lost: each opens them, and does to a running service what loses them. */
const losses: Readonly<Record<string, { stdio(): StdioOptions; lose?(lost: Lost): void }>> = {
  'closed pipes': { stdio: () => ['ignore', 'pipe', 'pipe'], lose: hangUp },
  'full pipes that nobody reads': { stdio: () => ['ignore', 'pipe', 'pipe'] },
  'a full disk': {
    stdio: () => {
      const full = openSync('/dev/full', 'w')
      after(() => closeSync(full))
      return ['ignore', full, full]
    },
  },
}

for (const [name, { stdio, lose }] of Object.entries(losses)) {
  test(`${name}: the service answers, and SIGTERM ends it with 0`, within, async () => {
    const lost = await start(`stop ${name}`, stdio())
    lose?.(lost)
    await floodAndServe(lost.url, lost.child.pid ?? 0)
    lost.child.kill('SIGTERM')
    assert.deepEqual(await lost.exit, [0, null])
  })

  test(`${name}: a fatal error ends the process with 1`, within, async () => {
    const lost = await start(`fatal ${name}`, stdio())
    lose?.(lost)
    await flood(lost.url, lost.child.pid ?? 0)
    lost.child.kill('SIGHUP')
    assert.deepEqual(await lost.exit, [1, null])
  })
}

test('a terminal that shows nothing: the service answers, and ends', within, async (t) => {
  if (spawnSync('script', ['--version']).error !== undefined) return t.skip('there is no script(1)')
  const command = `echo $$ > ${folder}/pid; exec ${process.execPath} ${SERVICE_FILE}`
  const words = ['script', '-q', '-e', '-c', command, '/dev/null']
  const lost = await start('terminal', ['pipe', 'ignore', 'ignore'], words)
  const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'))
  t.after(() => lost.child.kill('SIGKILL'))
  lost.child.kill('SIGSTOP')
  await floodAndServe(lost.url, pid)
  process.kill(pid, 'SIGHUP')
  await eventually(async () => assert.equal(await healthOf(lost.url), 0))
  lost.child.kill('SIGCONT')
  assert.deepEqual(await lost.exit, [1, null])
})

test('weir backup whose output nobody reads is complete, exit code 0', within, async () => {
  const service = await startServiceOn(join(folder, 'backup'))
  const target = join(folder, 'copy')
  const { child, done } = startWeir(join(folder, 'backup'), ['backup', target])
  child.stdout?.destroy()
  child.stderr?.destroy()
  assert.equal((await done).code, 0)
  await service.close()
  const restored = await runWeir(join(folder, 'restored'), 'restore', target)
  assert.equal(restored.code, 0, restored.err)
})

test('weir whose result a full disk refuses ends with 74', within, async () => {
  const full = openSync('/dev/full', 'w')
  const child = spawn(process.execPath, [COMMAND_FILE, 'help'], {
    stdio: ['ignore', full, 'inherit'],
  })
  closeSync(full)
  assert.deepEqual(await once(child, 'exit'), [74, null])
})
