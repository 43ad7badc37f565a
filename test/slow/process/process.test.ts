import assert from 'node:assert/strict'
import {
  type ChildProcess,
  type ChildProcessWithoutNullStreams,
  spawn,
  spawnSync,
} from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs'
import { connect } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { openApp } from '../../../src/app.ts'
import { createLog, readConfig } from '../../../src/base/index.ts'
import { childEnv } from '../../support/child-env.ts'
import { keepablePort } from '../../support/port.ts'
import { SERVICE_FILE } from '../../support/program.ts'
import { startServiceOn } from '../../support/service-on.ts'
import { sharedProcess } from '../../support/shared-process.ts'
import type { CommandOutcome } from '../../support/weir-command.ts'

const folder = mkdtempSync(join(tmpdir(), 'weir-process-'))
const started: ChildProcess[] = []
const groups: number[] = []
after(() => {
  for (const child of started) child.kill('SIGKILL')
  for (const group of groups) endGroup(group)
  rmSync(folder, { recursive: true, force: true })
})

/** Ends what is left of a process group; most often nothing is. */
function endGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

interface Running {
  readonly child: ChildProcess
  readonly output: () => string
  readonly exit: Promise<number | null>
}

function start(settings: Record<string, string>): Running {
  return watch(spawn(process.execPath, [SERVICE_FILE], { env: envOf(settings) }))
}

/** A start that is refused, in a process that other tests share. */
function startRefused(settings: Record<string, string>): Promise<CommandOutcome> {
  const given = { WEIR_PORT: '0', ...settings }
  return sharedProcess.run({ main: SERVICE_FILE, words: [], settings: given })
}

/** `npm start` in a process group of its own, as a service manager starts it. */
function startNpm(settings: Record<string, string>): Running {
  const env = { ...envOf(settings), HOME: folder, npm_config_update_notifier: 'false' }
  const child = spawn('npm', ['start'], { env, detached: true })
  groups.push(child.pid ?? 0)
  return watch(child)
}

function envOf(settings: Record<string, string>): NodeJS.ProcessEnv {
  return { ...childEnv, WEIR_PORT: '0', ...settings }
}

function watch(child: ChildProcessWithoutNullStreams): Running {
  started.push(child)
  let text = ''
  child.stdout.on('data', (part) => {
    text += part
  })
  child.stderr.on('data', (part) => {
    text += part
  })
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve))
  return { child, output: () => text, exit }
}

/** Resolves when the output matches; rejects when the process ends first. */
function seen(running: Running, pattern: RegExp): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const match = pattern.exec(running.output())
      if (match !== null) resolve(match)
    }
    running.child.stdout?.on('data', look)
    running.child.stderr?.on('data', look)
    running.exit.then(() => reject(new Error(`ended: ${running.output()}`)))
    look()
  })
}

const FEED_KEY = '11111111-2222-3333-4444-555555555555'
const dataDir = join(folder, 'data')
/** A folder whose first start was refused, for want of a port: its next start is the first. */
const refusedDir = join(folder, 'refused')

test('wrong settings: every mistake is listed, exit code 78, nothing is created', async () => {
  const { code, err } = await startRefused({
    WEIR_DATA_DIR: join(folder, 'never'),
    WEIR_PORT: 'eighty',
    WEIR_OWNER_TIME_ZONE: 'Nowhere',
    WEIR_LOG_LEVEL: 'loud',
  })
  assert.equal(code, 78)
  for (const name of ['WEIR_PORT', 'WEIR_OWNER_TIME_ZONE', 'WEIR_LOG_LEVEL']) {
    assert.match(err, new RegExp(`- ${name} must be`))
  }
  assert.equal(existsSync(join(folder, 'never')), false)
})

test('the first start prints URL, account, organization, key, and a curl line, once', async () => {
  const first = start({ WEIR_DATA_DIR: dataDir })
  const [, address] = await seen(first, /address +(\S+)\n/)
  await seen(first, /curl -H '.*\n/)
  const text = first.output()
  assert.match(text, /email +owner@localhost/)
  const password = /password +(\S+)/.exec(text)?.[1] ?? ''
  assert.match(text, /organization +[0-9a-f-]{36}/)
  const feedKey = /feed key +([0-9a-f-]{36})/.exec(text)?.[1] ?? ''
  assert.notEqual(feedKey, '')
  const login = await fetch(`${address}/api/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email: 'owner@localhost', password }),
  })
  assert.equal(login.status, 200)
  const line = /curl (?:-X PUT )?-H '(X-Api-Key): (\S+)' '(\S+)'/g
  const [put, read] = [...text.matchAll(line)].map(([, name, value, url]) => ({
    url,
    headers: { [name]: value },
  }))
  assert.equal((await fetch(put.url, { method: 'PUT', headers: put.headers })).status, 200)
  const values = await (await fetch(read.url, { headers: read.headers })).text()
  assert.match(values, /"temperature"/)
  assert.match(values, /21\.5/)
  assert.equal(statSync(join(dataDir, 'secret.key')).mode & 0o777, 0o600)
  const second = await startRefused({ WEIR_DATA_DIR: dataDir })
  assert.equal(second.code, 75)
  assert.match(second.err, /is used by another Weir process/)
  // Ctrl-C: signals that come within a second are one, and a call in flight is answered. They are sent at once, however
  // slow the machine is, and differ, so that the system cannot make one of them.
  const call = await beginCall(address)
  first.child.kill('SIGINT')
  first.child.kill('SIGTERM')
  assert.match(await call.end(), /^HTTP\/1\.1 401 /)
  assert.equal(await first.exit, 0)
  const logged = first
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
  assert.ok(logged.length > 0)
  for (const line of logged) assert.ok(!line.includes(feedKey) && !line.includes(password), line)
})

test('a first start that ended before it printed the password is mentioned by the next, once; SIGTERM lets calls finish', async () => {
  const cut = join(folder, 'cut')
  const log = createLog({ level: 'silent' })
  const app = await openApp(readConfig({ WEIR_DATA_DIR: cut, WEIR_PORT: '0' }), { log })
  await app.close()
  const hint = /account owner@localhost .* weir user reset-password owner@localhost/
  const next = start({ WEIR_DATA_DIR: cut })
  await seen(next, hint)
  next.child.kill('SIGTERM')
  assert.equal(await next.exit, 0)
  const later = start({ WEIR_DATA_DIR: cut })
  const [, address] = await seen(later, /"address":"([^"]+)".*"listening"/)
  await stopsByTerm(later, address)
  assert.doesNotMatch(later.output(), hint)
  assert.doesNotMatch(later.output(), /password/)
  assert.equal(existsSync(join(dataDir, 'untold')), false, 'one that has told leaves no mark')
})

/** SIGTERM: a call in flight finishes, new ones are refused, the exit code is 0. */
async function stopsByTerm(running: Running, address: string): Promise<void> {
  const call = await beginCall(address)
  running.child.kill('SIGTERM')
  await seen(running, /stopping/)
  const refused = await fetch(`${address}/healthz`)
  assert.equal(refused.status, 503)
  assert.equal(refused.headers.get('retry-after'), '5')
  assert.match(await call.end(), /^HTTP\/1\.1 401 /)
  assert.equal(await running.exit, 0)
}

test('the first start repeats neither a password nor a key that was given, and one on its port is refused', async () => {
  const password = 'correct horse battery'
  const given = { WEIR_FEED_KEY: FEED_KEY, WEIR_OWNER_PASSWORD: password }
  const WEIR_PORT = String(await keepablePort())
  const running = start({ WEIR_DATA_DIR: join(folder, 'given'), WEIR_PORT, ...given })
  const [, address] = await seen(running, /address +(\S+)\n/)
  await seen(running, /curl -H ".*\n/)
  assert.match(running.output(), /password +\(as set in WEIR_OWNER_PASSWORD\)/)
  assert.match(running.output(), /feed key +\(as set in WEIR_FEED_KEY\)/)
  const line = /curl -X PUT -H "X-Api-Key: (\S+)" '(\S+)'/.exec(running.output())
  assert.equal(line?.[1], '$WEIR_FEED_KEY')
  const headers = { 'X-Api-Key': FEED_KEY }
  assert.equal((await fetch(line?.[2] ?? '', { method: 'PUT', headers })).status, 200)
  const login = await fetch(`${address}/api/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email: 'owner@localhost', password }),
  })
  assert.equal(login.status, 200)
  // Its port is taken now: another process says so and prints no secret. A test below starts it again.
  const other = await startRefused({ WEIR_DATA_DIR: refusedDir, WEIR_PORT })
  assert.equal(other.code, 69)
  assert.match(other.err, /Cannot listen: .*EADDRINUSE/)
  assert.doesNotMatch(other.out + other.err, /is ready|password|feed key|"address"/)
  running.child.kill('SIGTERM')
  assert.equal(await running.exit, 0)
  assert.ok(!running.output().includes(FEED_KEY) && !running.output().includes(password))
})

test('on a terminal the log is text for people, and the first start is printed below it', async (t) => {
  if (spawnSync('script', ['--version']).error !== undefined) return t.skip('there is no script(1)')
  const env = envOf({ WEIR_DATA_DIR: join(folder, 'terminal') })
  const command = `exec ${process.execPath} ${SERVICE_FILE}`
  const child = spawn('script', ['-q', '-e', '-c', command, '/dev/null'], { env, detached: true })
  groups.push(child.pid ?? 0)
  const running = watch(child)
  await seen(running, /last_value\?retStreamId'/)
  const text = stripVTControlCharacters(running.output()).replaceAll('\r', '')
  assert.doesNotMatch(text, /^\{/m)
  assert.doesNotMatch(text, /audit/)
  assert.match(
    text,
    /^\d\d:\d\d:\d\d info {2}listening address=http:\/\/127\.0\.0\.1:\d+ .*\n(?:.*\n)*Weir is ready\./m,
  )
  assert.match(text, /Only this machine can connect. To allow others, set WEIR_HOST=0\.0\.0\.0/)
  // Ctrl-C.
  child.stdin.write('\u0003')
  assert.equal(await running.exit, 0)
})

test('off a terminal standard output has JSON lines only, the first start is printed separately, and an open folder is closed', async () => {
  const open = refusedDir
  mkdirSync(open, { recursive: true })
  chmodSync(open, 0o777)
  const env = envOf({ WEIR_DATA_DIR: open, WEIR_HOST: '0.0.0.0' })
  const child = spawn(process.execPath, [SERVICE_FILE], { env })
  let lines = ''
  child.stdout.on('data', (part) => {
    lines += part
  })
  const running = watch(child)
  const [, address] = await seen(running, /address +(\S+)\n/)
  await seen(running, /Weir is ready(?:.|\n)*password +[0-9a-f-]{36}(?:.|\n)*curl -H '.*\n/)
  assert.equal((await fetch(`${address}/healthz`)).status, 200)
  const outer = Object.values(networkInterfaces()).flatMap((all) => all ?? [])
  const isReachable = outer.some(
    (one) => !one.internal && one.address === new URL(address).hostname,
  )
  assert.ok(isReachable || outer.every(({ internal }) => internal), address)
  assert.doesNotMatch(running.output(), /Only this machine/)
  child.kill('SIGTERM')
  assert.equal(await running.exit, 0)
  for (const line of lines.trim().split('\n')) JSON.parse(line)
  // The folder was there and open to others: it is closed to them, and the log says so.
  assert.match(lines, /"mode":"777".*was accessible to other users/)
  assert.equal(statSync(open).mode & 0o777, 0o700)
})

/** Begins a call that is a 401 when `end` sends the rest of its body; resolves when it is in flight. */
async function beginCall(address: string): Promise<{ end(): Promise<string> }> {
  const { port, hostname } = new URL(address)
  const socket = connect(Number(port), hostname)
  let answered = ''
  socket.on('data', (part) => {
    answered += part
  })
  // A service that ends at once resets the connection; answers sent until then count.
  socket.on('error', () => {})
  const closed = new Promise((resolve) => socket.once('close', resolve))
  const body = JSON.stringify({ email: 'owner@localhost', password: 'wrong' })
  const head = `POST /api/login HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
  socket.write(head)
  // The service has the head of the call once it asks for the body.
  await Promise.race([once(socket, 'data'), closed])
  assert.equal(answered, 'HTTP/1.1 100 Continue\r\n\r\n')
  answered = ''
  return {
    end: async () => {
      socket.write(body)
      await closed
      return answered
    },
  }
}

test('npm start: a signal to npm alone stops the service, which frees port and folder', async () => {
  const npmDir = join(folder, 'npm')
  const WEIR_PORT = String(await keepablePort())
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const first = startNpm({ WEIR_DATA_DIR: npmDir, WEIR_PORT })
    await seen(first, /"address":"([^"]+)"/)
    first.child.kill(signal)
    // Also when the service outlives npm: its end of the pipe keeps the output open.
    assert.equal(await first.exit, 0, first.output())
  }
  await (await startServiceOn(npmDir, { WEIR_PORT })).close()
})

test('the data folder is for its user alone', () => {
  assert.equal(statSync(dataDir).mode & 0o777, 0o700)
  const names = readdirSync(dataDir)
  assert.ok(names.includes('catalog.db') && names.includes('secret.key'))
  for (const name of names) {
    assert.equal(statSync(join(dataDir, name)).mode & 0o077, 0, `${name} is open to others`)
  }
})
