/** The package and the single executable, as users have them: without a clone, without git, and without a network. */
import assert from 'node:assert/strict'
import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { promisify } from 'node:util'
import { atEnd } from '../../support/at-end.ts'
import {
  installPackage,
  loginOf,
  packedPackage,
  packVersion,
} from '../../support/packed-package.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const run = promisify(execFile)
const home = temporaryFolder()
const project = join(home, 'project')
const dataDir = join(home, 'data')
const weir = join(project, 'node_modules/.bin/weir')
const env = loginOf(home)
const NEXT_VERSION = '99.0.0'
const FEED_KEY = 'b7bb5f1e-3f5f-4a3e-9d0a-2f6f0e4f3c11'

before(async () => {
  await installPackage(join(await packedPackage(), 'weir-0.1.0.tgz'), project, env)
})

interface Running {
  readonly url: string
  stop(): Promise<void>
}

/** Starts a command that serves, on a data folder; resolves when it listens. */
async function start(program: string, words: readonly string[], folder: string): Promise<Running> {
  const settings = { WEIR_DATA_DIR: folder, WEIR_PORT: '0', WEIR_FEED_KEY: FEED_KEY }
  const child = spawn(program, words, { cwd: home, env: { ...env, ...settings } })
  atEnd(async () => void child.kill('SIGKILL'))
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part: Buffer) => {
      output += part
      const [, url] = /"address":"(http[^"]+)".*"listening"/.exec(output) ?? []
      if (url !== undefined) resolve(url)
    })
  }
  const ended = once(child, 'close')
  ended.then(() => reject(new Error(`The service ended: ${output}`)))
  const stop = async () => {
    child.kill('SIGTERM')
    const [code] = await ended
    assert.equal(code, 0, output)
  }
  return { url: await promise, stop }
}

/** Runs a command to its end. */
async function command(program: string, words: readonly string[], folder = dataDir) {
  const settings = { WEIR_DATA_DIR: folder }
  const { promise, resolve } = Promise.withResolvers<{ code: number; text: string }>()
  execFile(program, words, { cwd: home, env: { ...env, ...settings } }, (error, stdout, stderr) =>
    resolve({ code: Number(error?.code ?? 0), text: `${stdout}${stderr}` }),
  )
  return await promise
}

async function put({ url }: Running, value: number): Promise<void> {
  const address = `${url}/api/feed?compId=boiler&temp=${value}`
  const answer = await fetch(address, { method: 'PUT', headers: { 'X-Api-Key': FEED_KEY } })
  assert.equal(answer.status, 200, await answer.text())
}

async function values({ url }: Running): Promise<number[]> {
  const address = `${url}/api/comp/boiler/stream/temp/feed`
  const answer = await fetch(address, { headers: { 'X-Api-Key': FEED_KEY } })
  return ((await answer.json()) as Array<{ data: number }>).map(({ data }) => data)
}

/** Reads what people open first, and has every kind of thread and child process do something. */
async function useAll(service: Running): Promise<void> {
  const html = { headers: { Accept: 'text/html' } }
  const page = await (await fetch(service.url, html)).text()
  const [, script = ''] = /<script[^>]+src="(\/assets\/[^"]+)"/.exec(page) ?? []
  const files = [
    '/help',
    '/help/cli',
    '/help/CHANGELOG',
    '/help/images/studio.png',
    '/help/help.css',
  ]
  const explorer = ['/docs', '/docs/static/swagger-ui.css', '/docs/static/theme/docs.css']
  for (const path of [script, ...files, ...explorer]) {
    const answer = await fetch(`${service.url}${path}`, html)
    assert.equal(answer.status, 200, path)
    assert.ok((await answer.arrayBuffer()).byteLength > 100, path)
  }
  const headers = { 'X-Api-Key': FEED_KEY, 'Content-Type': 'application/json' }
  // Long enough that a thread parses it.
  const samples = Array.from({ length: 10_000 }, (_, at) => ({
    compId: 'bulk',
    streamId: 'x',
    time: 1_767_225_600_000 + at * 1_000,
    data: at,
  }))
  const body = JSON.stringify(samples).padEnd(1_100_000)
  const bulk = await fetch(`${service.url}/api/feed`, { method: 'PUT', headers, body })
  assert.equal(bulk.status, 200, await bulk.text())
}

/** A query, which a runner answers, for a key that may query. */
async function query({ url }: Running, key: string): Promise<unknown> {
  const headers = { 'X-Api-Key': key, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ sql: 'SELECT 6 * 7 AS answer' })
  const answer = await fetch(`${url}/api/gql`, { method: 'POST', headers, body })
  return ((await answer.json()) as { rows: unknown }).rows
}

async function addKey(program: string, folder: string): Promise<string> {
  const words = ['key', 'add', 'Queries', '--capability', 'query=POST', '--json']
  const { text } = await command(program, words, folder)
  return JSON.parse(text).result.secret
}

test('an installed package has no sources and no tools, but its licenses, and says its version', async () => {
  const folder = join(project, 'node_modules/weir')
  assert.deepEqual(readdirSync(join(project, 'node_modules')).sort(), [
    '.bin',
    '.package-lock.json',
    'weir',
  ])
  for (const name of ['src', 'tools', 'test', 'tsconfig.json', 'node_modules'])
    assert.ok(!existsSync(join(folder, name)), name)
  const { version, commit } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const said = await command(weir, ['--version'])
  const [hash, mark] = commit.split('-')
  const shown = [hash.slice(0, 12), mark].filter((part: string | undefined) => part !== undefined)
  assert.equal(said.text, `weir ${version} (${shown.join('-')})\n`)
  const licenses = await command(weir, ['licenses'])
  const { components } = JSON.parse(readFileSync(join(folder, 'sbom.cdx.json'), 'utf8')) as {
    components: Array<{ name: string; version: string; scope: string }>
  }
  const names = components.map((one) => `${one.name}@${one.version}`)
  for (const name of ['pino', 'react', 'chevrotain', 'pg'])
    assert.ok(
      names.some((one) => one.startsWith(`${name}@`)),
      name,
    )
  for (const name of ['vite', 'typescript', 'playwright-core'])
    assert.ok(!names.some((one) => one.startsWith(`${name}@`)), name)
  for (const name of names.filter((one) => !one.startsWith('node-')))
    assert.ok(licenses.text.includes(`\n${name}\n`), name)
})

test('a package serves, backs up, restores, and checks', async () => {
  const service = await start(weir, [], dataDir)
  await put(service, 71.5)
  await useAll(service)
  assert.deepEqual(await query(service, await addKey(weir, dataDir)), [[42]])
  const backup = join(home, 'today.tar.zst')
  const done = await command(weir, ['backup', backup, '--with-key'])
  assert.equal(done.code, 0, done.text)
  await service.stop()
  const restored = join(home, 'restored')
  const back = await command(weir, ['restore', backup, '--to', restored])
  assert.equal(back.code, 0, back.text)
  const checked = await command(weir, ['check'], restored)
  assert.equal(checked.code, 0, checked.text)
  const again = await start(weir, ['serve'], restored)
  assert.deepEqual(await values(again), [71.5])
  await again.stop()
})

test('a package of a higher version serves the data and the drivers of the one before', async () => {
  mkdirSync(join(project, 'weir-drivers/oracle-0'), { recursive: true })
  await packVersion(NEXT_VERSION, home)
  await installPackage(join(home, `weir-${NEXT_VERSION}.tgz`), project, env)
  assert.match((await command(weir, ['--version'])).text, /^weir 99\.0\.0 /)
  const service = await start(weir, [], dataDir)
  assert.deepEqual(await values(service), [71.5])
  const page = await fetch(service.url, { headers: { Accept: 'text/html' } })
  assert.equal(page.headers.get('weir-version'), NEXT_VERSION)
  assert.match(await page.text(), /\/assets\//)
  await service.stop()
  assert.ok(existsSync(join(project, 'weir-drivers/oracle-0')))
})

const executable = join(home, 'single/weir-linux-x64')
const hasExecutable = process.platform === 'linux' && process.arch === 'x64'
/** Where executables are neither built nor run. */
const skip = !hasExecutable && 'the executable that is tested is for Linux on x64'

test('a single executable serves and queries without Node, npm, and files beside it', {
  skip,
}, async () => {
  await run(process.execPath, [
    'tools/release/build-binary.ts',
    'linux-x64',
    '--to',
    join(home, 'single'),
  ])
  const place = join(home, 'bin')
  mkdirSync(place)
  const alone = join(place, 'weir')
  renameSync(executable, alone)
  const none = { ...env, PATH: place }
  const said = spawnSync(alone, ['--version'], { env: none, cwd: '/', encoding: 'utf8' })
  assert.match(said.stdout, /^weir 0\.1\.0 \(/)
  // Debian has this library only in a package of its own.
  const libraries = spawnSync(alone, { env: { LD_TRACE_LOADED_OBJECTS: '1' }, encoding: 'utf8' })
  assert.match(libraries.stdout, /libstdc\+\+/)
  assert.doesNotMatch(libraries.stdout, /libatomic/)
  const folder = join(home, 'single-data')
  const service = await start(alone, [], folder)
  await put(service, 19.5)
  await useAll(service)
  assert.deepEqual(await query(service, await addKey(alone, folder)), [[42]])
  await service.stop()
  const checked = await command(alone, ['check'], folder)
  assert.equal(checked.code, 0, checked.text)
  const add = spawnSync(alone, ['add', 'oracle'], { env: none, encoding: 'utf8' })
  assert.equal(add.status, 1)
  assert.match(add.stderr, /npm is not found\. Install npm/)
  const licenses = await command(alone, ['licenses'])
  assert.match(licenses.text, /\nNode\.js\n/)
  assert.deepEqual(readdirSync(place), ['weir', 'weir-drivers'])
})
