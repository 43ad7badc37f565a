/** The recipes of README.md and docs/operations.md, followed word for word. */
import assert from 'node:assert/strict'
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { hasGit, reachesNpmRegistry } from '../../support/npm-registry.ts'
import { isNightly } from '../../support/random.ts'
import {
  NEXT_VERSION,
  RecipeMachine,
  readRecipe,
  type StartedService,
} from '../../support/recipe-machine.ts'

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

/** The studio is served, is that of a folder, and matches the service. */
async function assertStudio(service: StartedService, built: string): Promise<string | null> {
  const page = await fetch(service.url, { headers: { Accept: 'text/html' } })
  const html = await page.text()
  assert.equal(html, readFileSync(join(built, 'index.html'), 'utf8'))
  const [, script = ''] = /<script[^>]+src="(\/assets\/[^"]+)"/.exec(html) ?? []
  assert.equal((await fetch(`${service.url}${script}`)).status, 200, html)
  const version = page.headers.get('weir-version')
  assert.equal(readFileSync(join(built, 'stamp.txt'), 'utf8').split(' ')[0], version)
  assert.doesNotMatch(service.output(), /The studio/)
  return version
}

function assertPackaged(): Promise<string | null> {
  return assertStudio(running(), machine.place('/opt/weir/node_modules/weir/studio/dist'))
}

/** Follows the commands below a heading of docs/operations.md. */
async function follow(heading: string): Promise<readonly string[]> {
  const lines = readRecipe(OPERATIONS, heading)
  await machine.follow(lines.map((line) => machine.withNode(line)))
  return lines
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

test('README: a clone starts with one line, and serves its studio', { skip }, async () => {
  const [line, ...others] = readRecipe('README.md', '## Run it from a clone')
  assert.deepEqual(others, [])
  assert.match(line, /^npm ci && npm start$/)
  const service = await machine.startLine(machine.withPackages(line), {
    WEIR_PORT: '0',
    WEIR_DATA_DIR: join(machine.home, 'first'),
  })
  await assertStudio(service, join(machine.clone, 'studio/dist'))
  await service.stop()
})

test('systemd: the recipe ends with a service of the package', { skip }, async () => {
  const lines = await follow('## Run as a systemd service')
  assert.ok(lines.some((line) => line.startsWith('npm install ')))
  await assertPackaged()
  feedKey = /feed key +([0-9a-f-]{36})/.exec(running().output())?.[1] ?? ''
  await put(running(), 1)
})

test('backup and restore: the recipes bring back what was stored', { skip }, async () => {
  await follow('## Backup')
  // The documentation asks to keep a copy of the key.
  copyFileSync(
    machine.place('/var/lib/weir/secret.key'),
    machine.place('/mnt/safe/weir-secret.key'),
  )
  await put(running(), 2)
  await follow('## Restore')
  await assertPackaged()
  assert.match(await lastValue(running()), /\b1\b/)
  await put(running(), 3)
})

test('backup: the command of the nightly unit works', { skip }, async () => {
  await machine.runLine(
    'cp /opt/weir/node_modules/weir/deploy/weir-backup.service /etc/systemd/system/',
  )
  const unit = machine.readUnit('weir-backup.service')
  const settings = unit('Environment').map((line) => `export ${line}`)
  const commands = [...unit('ExecStartPre'), ...unit('ExecStart'), ...unit('ExecStartPost')]
  assert.ok(commands.length >= 3)
  const script = commands.map((line) => line.replaceAll('%%', '%').replaceAll('$$', '$'))
  // One backup was killed days ago, and another runs.
  const folder = '/var/backups/weir'
  await machine.runLine(`mkdir -p ${folder}/old.tar.zst.partial ${folder}/new.tar.zst.partial`)
  await machine.runLine(`touch -d "3 days ago" ${folder}/old.tar.zst.partial`)
  await machine.runLine(['(', ...settings, ...script, ')'].join('\n'))
  await machine.runLine(`ls ${folder}/20*.tar.zst && test -e ${folder}/new.tar.zst.partial`)
  await machine.runLine(`test ! -e ${folder}/old.tar.zst.partial`)
})

test('upgrade: the recipe ends with the new version, its studio, and the data', {
  skip,
}, async () => {
  const lines = await follow('## Upgrade')
  assert.ok(lines.some((line) => line.includes(`weir-${NEXT_VERSION}.tgz`)))
  assert.equal(await assertPackaged(), NEXT_VERSION)
  assert.match(await lastValue(running()), /\b3\b/)
  assert.ok(existsSync(machine.place('/var/backups/weir/before.tar.zst')))
  await running().stop()
})
