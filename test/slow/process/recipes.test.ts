/** The recipes of README.md and docs/operations.md, followed word for word in a clean clone. */
import assert from 'node:assert/strict'
import { appendFileSync, copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { hasGit, reachesNpmRegistry } from '../../support/npm-registry.ts'
import { isNightly } from '../../support/random.ts'
import { RecipeMachine, readRecipe, type StartedService } from '../../support/recipe-machine.ts'

const OPERATIONS = 'docs/operations.md'
const isMissing = !hasGit() || (isNightly && !reachesNpmRegistry())
/** Where CI=true, a machine without them is a failure. */
const skip = process.env.CI !== 'true' && isMissing && 'the npm registry or git is missing'

let machine: RecipeMachine
let feedKey = ''
before(async () => {
  if (skip !== false) return
  machine = await RecipeMachine.open()
  // The documentation puts settings here. A test needs a free port.
  writeFileSync(machine.place('/etc/weir.env'), 'WEIR_PORT=0\n')
})
after(() => machine?.close())

/** The studio is served, is that of the clone, and matches the service. */
async function assertStudio(service: StartedService): Promise<string | null> {
  const page = await fetch(service.url, { headers: { Accept: 'text/html' } })
  const html = await page.text()
  const built = join(machine.home, 'opt/weir/studio/dist')
  assert.equal(html, readFileSync(join(built, 'index.html'), 'utf8'))
  const [, script = ''] = /<script[^>]+src="(\/assets\/[^"]+)"/.exec(html) ?? []
  assert.equal((await fetch(`${service.url}${script}`)).status, 200, html)
  const version = page.headers.get('weir-version')
  assert.equal(readFileSync(join(built, 'stamp.txt'), 'utf8').split(' ')[0], version)
  assert.doesNotMatch(service.output(), /The studio/)
  return version
}

async function put(service: StartedService, value: number): Promise<void> {
  const url = `${service.url}/api/feed?compId=c&x=${value}`
  const answer = await fetch(url, { method: 'PUT', headers: { 'X-Api-Key': feedKey } })
  assert.equal(answer.status, 200)
}

async function lastValue(service: StartedService): Promise<string> {
  const url = `${service.url}/api/comp/c/stream/x/last_value`
  return await (await fetch(url, { headers: { 'X-Api-Key': feedKey } })).text()
}

function running(): StartedService {
  assert.ok(machine.service !== undefined, 'the recipe started the service')
  return machine.service
}

test('README: the first start serves the studio', { skip }, async () => {
  const [line, ...others] = readRecipe('README.md', '## Run it')
  assert.deepEqual(others, [])
  const dataDir = join(machine.home, 'first')
  assert.match(line, /^npm ci && /)
  const service = await machine.startLine(machine.withPackages(line), {
    WEIR_PORT: '0',
    WEIR_DATA_DIR: dataDir,
  })
  await assertStudio(service)
  await service.stop()
})

test('systemd: the recipe ends with a service that has its studio', { skip }, async () => {
  const lines = readRecipe(OPERATIONS, '## Run as a systemd service')
  assert.ok(lines.some((line) => line.includes('npm ci && ')))
  // The test above has just run the same npm ci.
  await machine.follow(lines.map((line) => line.replace('npm ci && ', '')))
  await assertStudio(running())
  assert.ok(!existsSync(machine.place('/opt/weir/node_modules/vite')), 'development packages stay')
  feedKey = /feed key +([0-9a-f-]{36})/.exec(running().output())?.[1] ?? ''
  await put(running(), 1)
})

test('backup and restore: the recipes bring back what was stored', { skip }, async () => {
  await machine.follow(readRecipe(OPERATIONS, '## Backup'))
  // The documentation asks to keep a copy of the key.
  copyFileSync(
    machine.place('/var/lib/weir/secret.key'),
    machine.place('/mnt/safe/weir-secret.key'),
  )
  await put(running(), 2)
  await machine.follow(readRecipe(OPERATIONS, '## Restore'))
  await assertStudio(running())
  assert.match(await lastValue(running()), /\b1\b/)
  await put(running(), 3)
})

test('backup: the command of the nightly unit works', { skip }, async () => {
  await machine.runLine(
    'cp /opt/weir/deploy/weir-backup.service /etc/systemd/system/ && cd /opt/weir',
  )
  const unit = machine.readUnit('weir-backup.service')
  const settings = unit('Environment').map((line) => `export ${line}`)
  const commands = [...unit('ExecStartPre'), ...unit('ExecStart'), ...unit('ExecStartPost')]
  assert.ok(commands.length >= 3)
  const script = commands.map((line) => line.replaceAll('%%', '%').replaceAll('$$', '$'))
  // One backup was killed days ago, and another runs.
  await machine.runLine(
    'cd /var/backups/weir && mkdir -p old.tar.zst.partial/partial new.tar.zst.partial',
  )
  await machine.runLine('touch -d "3 days ago" old.tar.zst.partial && cd /opt/weir')
  await machine.runLine([...settings, ...script].join('\n'))
  await machine.runLine(
    'ls /var/backups/weir/20*.tar.zst && test -e /var/backups/weir/new.tar.zst.partial',
  )
  await machine.runLine('test ! -e /var/backups/weir/old.tar.zst.partial')
})

const NEXT_VERSION = '99.0.0'

/** Gives package.json, or its lock file, the next version. */
function setVersion(path: string): void {
  const manifest = JSON.parse(readFileSync(path, 'utf8'))
  manifest.version = NEXT_VERSION
  if (manifest.packages !== undefined) manifest.packages[''].version = NEXT_VERSION
  writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`)
}

test('upgrade: the recipe ends with the new version and its studio', { skip }, async () => {
  await machine.commit((origin) => {
    for (const name of ['package.json', 'package-lock.json']) setVersion(join(origin, name))
    appendFileSync(join(origin, 'studio/src/style/base.css'), '\n.later { color: red; }\n')
  })
  const lines = readRecipe(OPERATIONS, '## Upgrade')
  assert.ok(lines.some((line) => line.includes('npm ci && ')))
  await machine.follow(lines.map((line) => machine.withPackages(line)))
  assert.equal(await assertStudio(running()), NEXT_VERSION)
  // Files that npm changed would stop the next git pull.
  await machine.runLine('test -z "$(git status --porcelain)"')
  assert.match(await lastValue(running()), /\b3\b/)
  await running().stop()
})

test('npm start without development packages serves the build, and reports one of other sources', {
  skip,
}, async () => {
  const settings = { WEIR_PORT: '0', WEIR_DATA_DIR: machine.place('/var/lib/weir') }
  const service = await machine.startLine('npm start', settings)
  await assertStudio(service)
  assert.doesNotMatch(service.output(), /Building/)
  await service.stop()
  appendFileSync(machine.place('/opt/weir/studio/src/style/base.css'), '\n.x { color: red; }\n')
  const outdated = await machine.startLine('npm start', settings)
  assert.doesNotMatch(outdated.output(), /Building/)
  assert.match(outdated.output(), /"warn".*The studio was built from other sources/)
  await outdated.stop()
})
