/** What deploy/Dockerfile puts together, done by hand: there need not be a Docker where tests run. */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join, matchesGlob, relative, resolve } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const root = resolve('.')
const run = promisify(execFile)

/** A stage of the Dockerfile, with its lines as words. */
interface Stage {
  readonly name: string
  readonly from: string
  readonly lines: ReadonlyArray<readonly [word: string, rest: string]>
}

function readStages(): Stage[] {
  const text = readFileSync('deploy/Dockerfile', 'utf8').replaceAll(/^#.*\n/gm, '')
  const stages: Array<Stage & { lines: Array<readonly [string, string]> }> = []
  for (const line of text.replaceAll(/\\\n\s*/g, ' ').split('\n')) {
    const [, word = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? []
    const [, from = '', name = 'image'] = /^(\S+)(?:\s+AS\s+(\S+))?$/.exec(rest) ?? []
    if (word === 'FROM') stages.push({ name, from, lines: [] })
    else if (word !== '') stages.at(-1)?.lines.push([word, rest])
  }
  return stages
}

/** Whether a build may see a path: the last line of .dockerignore that is about it decides. */
function isInContext(path: string): boolean {
  let isIn = true
  for (const line of readFileSync('.dockerignore', 'utf8').split('\n')) {
    const pattern = line.replace(/^!/, '').trim()
    if (pattern === '') continue
    const parts = path.split('/')
    const isMeant = parts.some((_, at) => matchesGlob(parts.slice(0, at + 1).join('/'), pattern))
    if (isMeant) isIn = line.startsWith('!')
  }
  return isIn
}

/** Copies as a COPY line does, from the context or from the folder of a stage. */
function copy(rest: string, to: string, stages: ReadonlyMap<string, string>): void {
  const [, from, list = ''] = /^(?:--from=(\S+)\s+)?(.*)$/.exec(rest) ?? []
  const names = list.split(/\s+/)
  const target = names.pop() ?? ''
  for (const name of names) {
    const source =
      from === undefined ? join(root, name) : join(stages.get(from) ?? '', inside(name))
    if (name.endsWith('node_modules')) {
      symlinkSync(source, join(to, target))
      continue
    }
    const place = join(to, target, target.endsWith('/') ? name : '')
    mkdirSync(dirname(place), { recursive: true })
    const filter = (path: string) =>
      from !== undefined || statSync(path).isDirectory() || isInContext(relative(root, path))
    cpSync(source, place, { recursive: true, filter })
  }
}

/** A path of the image as one in the folder that stands for it. */
function inside(path: string): string {
  return path.replace(/^\/weir\//, '')
}

/** The packages as `npm ci` installs them, with those for developers or without. */
function install(folder: string, { isForDevelopers }: { readonly isForDevelopers: boolean }): void {
  const modules = join(folder, 'node_modules')
  rmSync(modules, { recursive: true, force: true })
  if (isForDevelopers) {
    symlinkSync(join(root, 'node_modules'), modules)
    return
  }
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { dev?: boolean }>
  }
  for (const [path, { dev }] of Object.entries(lock.packages)) {
    const isTop = /^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path)
    if (!isTop || dev === true || !existsSync(join(root, path))) continue
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    symlinkSync(join(root, path), join(folder, path))
  }
}

/** Does what lines of a stage do, except for what needs a network or another system. */
async function build(stage: Stage, folder: string, stages: Map<string, string>): Promise<void> {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  for (const [word, rest] of stage.lines) {
    if (word === 'COPY') copy(rest, folder, stages)
    if (word !== 'RUN') continue
    if (rest.startsWith('npm ci'))
      install(folder, { isForDevelopers: !rest.includes('--omit=dev') })
    const [, made] = /^install -d (\/\S+) /.exec(rest) ?? []
    if (made !== undefined) mkdirSync(join(folder, inside(made)), { recursive: true })
    const [, script] = /^npm run (\S+)$/.exec(rest) ?? []
    if (script === undefined) continue
    const words = String(scripts[script]).split(' ')
    await run(process.execPath, words.slice(1), { cwd: folder })
  }
}

/** The folder of the finished image, and what starts it. */
async function buildImage(): Promise<{ folder: string; stage: Stage }> {
  const home = temporaryFolder()
  const folders = new Map<string, string>()
  const stages = readStages()
  for (const stage of stages) {
    const folder = join(home, stage.name)
    const before = folders.get(stage.from)
    if (before === undefined) mkdirSync(folder)
    else cpSync(before, folder, { recursive: true, verbatimSymlinks: true })
    folders.set(stage.name, folder)
    await build(stage, folder, folders)
  }
  const last = stages.at(-1)
  assert.ok(last !== undefined)
  return { folder: join(home, last.name), stage: last }
}

test('the image starts and serves the studio that is built in it', async (t) => {
  const { folder, stage } = await buildImage()
  for (const path of ['studio/src', 'tools', 'test', '.git', 'data']) {
    assert.ok(!existsSync(join(folder, path)), `${path} is not in the image`)
  }
  const [, start = ''] = stage.lines.findLast(([word]) => word === 'CMD') ?? []
  const words = JSON.parse(start) as string[]
  const said = stage.lines.filter(([word]) => word === 'ENV').map(([, rest]) => rest)
  const pairs = said.join(' ').matchAll(/(\w+)=(\S+)/g)
  const env = {
    ...Object.fromEntries(pairs.map(([, name, value]) => [name, value])),
    PATH: process.env.PATH,
    WEIR_DATA_DIR: join(folder, 'data'),
    WEIR_HOST: '127.0.0.1',
    WEIR_PORT: '0',
    NODE_COMPILE_CACHE: join(folder, 'cache'),
  }
  assert.equal(words[0], 'node')
  const service = spawn(process.execPath, words.slice(1), { cwd: folder, env })
  t.after(() => service.kill('SIGKILL'))
  const url = await addressOf(service)
  const page = await fetch(`${url}/`, { headers: { Accept: 'text/html' } })
  const html = await page.text()
  assert.equal(page.status, 200)
  const [, script = ''] = /<script[^>]+src="(\/assets\/[^"]+)"/.exec(html) ?? []
  assert.notEqual(script, '', html)
  assert.doesNotMatch(html, /<script(?![^>]*\bsrc=)|<style|\bstyle=|https?:/)
  for (const form of ['', '.br', '.gz'])
    assert.ok(existsSync(join(folder, 'studio/dist', `${script}${form}`)), `${script}${form}`)
  const asset = await fetch(`${url}${script}`, { headers: { 'Accept-Encoding': 'br' } })
  assert.equal(asset.status, 200)
  assert.equal(asset.headers.get('content-encoding'), 'br')
  await asset.arrayBuffer()
  const [, check = ''] = stage.lines.find(([word]) => word === 'HEALTHCHECK') ?? []
  const [, ...looked] = JSON.parse(check.replace(/^.*?CMD /, '')) as string[]
  const port = new URL(url).port
  await run(process.execPath, looked, { cwd: folder, env: { ...env, WEIR_PORT: port } })
  for (const line of readExecLines()) {
    // The volume for backups, in the folder that stands for the image.
    const said = line.replaceAll('/backups/', `${folder}/backups/`).split(' ')
    assert.equal(said[0], 'node')
    await run(process.execPath, said.slice(1), { cwd: folder, env })
  }
  assert.ok(existsSync(join(folder, 'backups/today.tar.zst')))
  const gone = once(service, 'exit')
  service.kill('SIGTERM')
  assert.deepEqual((await gone)[0], 0)
})

test('every stage of the image has the library that Node 26 needs before that runs', () => {
  const ready = new Set<string>()
  let runs = 0
  for (const { name, from, lines } of readStages()) {
    let isReady = ready.has(from)
    for (const [word, rest] of lines) {
      if (word === 'RUN' && /apt-get install .*\blibatomic1\b/.test(rest)) isReady = true
      // "npm ci" runs the script of package.json behind an install, with what it has installed.
      const isRun = word === 'RUN' ? /^npm (?:ci|run)\b/.test(rest) : word === 'CMD'
      if (!isRun) continue
      assert.ok(isReady, `${name}: ${rest}`)
      runs += 1
    }
    if (isReady) ready.add(name)
  }
  assert.ok(runs >= 4, `only ${runs} runs were found`)
})

/** What docs/operations.md runs inside a container. */
function readExecLines(): string[] {
  const page = readFileSync('docs/operations.md', 'utf8')
  const lines = [...page.matchAll(/^docker exec weir (.*)$/gm)].map(([, line]) => line)
  assert.equal(lines.length, 2)
  return lines
}

/** Where a service listens, as its log says. */
async function addressOf(service: ReturnType<typeof spawn>): Promise<string> {
  let output = ''
  for (const out of [service.stdout, service.stderr]) {
    out?.on('data', (part: Buffer) => {
      output = `${output}${part}`.slice(-65_536)
    })
  }
  const ended = once(service, 'exit').then(() => assert.fail(`The service ended: ${output}`))
  const listening = (async () => {
    for (;;) {
      const [, url] = /"address":"(http:[^"]+)"/.exec(output) ?? []
      if (url !== undefined) return url
      await once(service.stdout ?? service, 'data')
    }
  })()
  return await Promise.race([listening, ended])
}
