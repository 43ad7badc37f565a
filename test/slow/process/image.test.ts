/** What deploy/Dockerfile makes of the package, done by hand: there need not be a Docker where tests run. */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { atEnd } from '../../support/at-end.ts'
import { installPackage, loginOf, packedPackage } from '../../support/packed-package.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

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

const stages = readStages()
const image = stages.at(-1)

function wordsOf(instruction: string): string[] {
  const [, rest = ''] = image?.lines.findLast(([word]) => word === instruction) ?? []
  return JSON.parse(rest.replace(/^.*?CMD /, '')) as string[]
}

test('the commands of the image and of its documentation work on the installed package', async () => {
  const home = temporaryFolder()
  /** A path of the image below the folder that stands for its root. */
  const place = (text: string) =>
    text.replaceAll(/(?<![\w.])\/(?=(?:opt|data|backup|var)\b)/g, `${home}/`)
  await installPackage(
    join(await packedPackage(), 'weir-0.1.0.tgz'),
    join(home, 'opt/weir'),
    loginOf(home),
  )
  // The Node that the optional package brings.
  symlinkSync(process.execPath, join(home, 'opt/weir/node_modules/.bin/node'))
  for (const folder of ['data', 'backup']) mkdirSync(join(home, folder))
  const settings = image?.lines.filter(([word]) => word === 'ENV').map(([, rest]) => place(rest))
  const pairs = settings?.join(' ').matchAll(/(\w+)=(\S+)/g) ?? []
  const given = Object.fromEntries([...pairs].map(([, name, value]) => [name, value]))
  assert.equal(given.WEIR_HOST, '0.0.0.0')
  const env = { ...given, WEIR_HOST: '127.0.0.1', WEIR_PORT: '0' }
  const [program, ...words] = wordsOf('CMD')
  const service = spawn(program, words, { cwd: join(home, 'data'), env })
  atEnd(async () => void service.kill('SIGKILL'))
  const url = await addressOf(service)
  const page = await fetch(url, { headers: { Accept: 'text/html' } })
  assert.match(await page.text(), /<script[^>]+src="\/assets\//)
  const [check, ...checked] = wordsOf('HEALTHCHECK').map(place)
  await run(check, checked, { env: { ...env, WEIR_PORT: new URL(url).port } })
  for (const line of readExecLines()) {
    const [named, ...rest] = place(line).split(' ')
    await run(named, rest, { cwd: home, env })
  }
  assert.ok(existsSync(join(home, 'backup/today.tar.zst')))
  const gone = once(service, 'exit')
  service.kill('SIGTERM')
  assert.deepEqual((await gone)[0], 0)
})

test('every stage of the image has the library that Node 26 needs before that runs', () => {
  const ready = new Set<string>()
  let runs = 0
  for (const { name, from, lines } of stages) {
    let isReady = ready.has(from)
    for (const [word, rest] of lines) {
      if (word === 'RUN' && /apt-get install .*\blibatomic1\b/.test(rest)) isReady = true
      const isRun = word === 'RUN' ? /\bweir add\b/.test(rest) : word === 'CMD'
      if (!isRun) continue
      assert.ok(isReady, `${name}: ${rest}`)
      runs += 1
    }
    if (isReady) ready.add(name)
  }
  assert.equal(runs, 2)
})

test('base images have exact versions, and files that compose.yaml mounts are there', () => {
  const named = new Set(stages.map(({ name }) => name))
  const bases = stages.map(({ from }) => from).filter((from) => !named.has(from))
  const compose = readFileSync('deploy/compose.yaml', 'utf8')
  const images = [...compose.matchAll(/^ +image: (\S+)$/gm)].map(([, name]) => name)
  for (const one of [...bases, ...images.filter((name) => name !== 'weir')])
    assert.match(one, /^[a-z/]+:\d+\.\d+(?:\.\d+)?(?:-[\w-]+)?(?:@sha256:[0-9a-f]{64})?$/)
  assert.ok(images.length >= 3, `${images}`)
  const mounts = [...compose.matchAll(/- \.\/([^:]+):/g)].map(([, path]) => path)
  const files = ['datasources.yaml', 'dashboards.yaml', 'greenhouse.json']
  assert.deepEqual(
    mounts,
    files.map((file) => `grafana/${file}`),
  )
  for (const path of mounts) assert.deepEqual(globSync(path, { cwd: 'deploy' }), [path])
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
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  for (const out of [service.stdout, service.stderr]) {
    out?.on('data', (part: Buffer) => {
      output += part
      const [, url] = /"address":"(http:[^"]+)"/.exec(output) ?? []
      if (url !== undefined) resolve(url)
    })
  }
  once(service, 'exit').then(() => reject(new Error(`The service ended: ${output}`)))
  return await promise
}
