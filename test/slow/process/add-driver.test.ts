// Alone: it sets variables of npm in its environment.

import assert from 'node:assert/strict'
import { execFile, execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { filesBelow } from '../../../src/base/index.ts'
import { type DriverPlace, driverPlace } from '../../../src/connectors/driver/driver-place.ts'
import { DriverMistake, installDriver } from '../../../src/connectors/driver/install-driver.ts'
import { loadDriver } from '../../../src/connectors/driver/load-driver.ts'
import { childEnv } from '../../support/child-env.ts'
import { COMMAND_FILE } from '../../support/program.ts'
import { eventually } from '../../support/settle.ts'

const root = mkdtempSync(join(tmpdir(), 'weir-drivers-'))
const registryEnv = {
  npm_config_cache: join(root, 'cache'),
  npm_config_fetch_retries: '0',
  npm_config_update_notifier: 'false',
}
let tarball: Buffer
let integrity: string
/** Whether the registry keeps everybody waiting for packages. */
let isHanging = false
let hangingCount = 0

/** A registry with one package, tiny-driver. */
const registry = createServer((request, response) => {
  if (isHanging) {
    hangingCount += 1
    return
  }
  if (request.url === '/tiny-driver') {
    const { port } = registry.address() as AddressInfo
    const dist = { tarball: `http://127.0.0.1:${port}/tiny-driver.tgz`, integrity }
    const versions = { '1.0.0': { name: 'tiny-driver', version: '1.0.0', dist } }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ name: 'tiny-driver', versions }))
  } else response.end(tarball)
})

before(async () => {
  const folder = join(root, 'tiny', 'package')
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({
      name: 'tiny-driver',
      version: '1.0.0',
      main: 'index.js',
      scripts: { install: 'touch ran-a-script' },
    }),
  )
  writeFileSync(join(folder, 'index.js'), 'module.exports = "tiny"')
  execFileSync('tar', ['-czf', join(root, 'tiny.tgz'), '-C', join(root, 'tiny'), 'package'])
  tarball = readFileSync(join(root, 'tiny.tgz'))
  integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
  registry.listen(0, '127.0.0.1')
  await once(registry, 'listening')
  const { port } = registry.address() as AddressInfo
  Object.assign(process.env, registryEnv, { npm_config_registry: `http://127.0.0.1:${port}/` })
})
after(() => {
  registry.close()
  registry.closeAllConnections()
  rmSync(root, { recursive: true, force: true })
})

/** A driver of the test, whose lock file has a hash. */
function tinyPlace(driversDir: string, hash = integrity): DriverPlace {
  const sources = mkdtempSync(join(root, 'sources-'))
  const source = join(sources, 'tiny')
  mkdirSync(source)
  const own = { name: 'weir-driver-tiny', version: '1.0.0' }
  const dependencies = { 'tiny-driver': '1.0.0' }
  const packages = {
    '': { ...own, dependencies },
    'node_modules/tiny-driver': { version: '1.0.0', integrity: hash, hasInstallScript: true },
  }
  const lock = { ...own, lockfileVersion: 3, requires: true, packages }
  writeFileSync(join(source, 'package.json'), JSON.stringify({ ...own, dependencies }))
  writeFileSync(join(source, 'package-lock.json'), JSON.stringify(lock))
  return driverPlace('tiny', driversDir, filesBelow(sources))
}

async function mistakeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof DriverMistake, String(error))
  return error.message
}

test('installDriver() installs a driver once, without its scripts, and removes what others have left', async () => {
  const driversDir = join(root, 'installed')
  const place = tinyPlace(driversDir)
  // No process has so high a number.
  mkdirSync(join(driversDir, `.${basename(place.folder)}.99999999`), { recursive: true })
  assert.equal(await installDriver(place), true)
  assert.deepEqual(readdirSync(driversDir), [basename(place.folder)])
  const installed = readdirSync(join(place.folder, 'node_modules', 'tiny-driver'))
  assert.deepEqual(installed.sort(), ['index.js', 'package.json'])
  assert.equal(await installDriver(place), false)
})

test('installDriver() refuses a package with another hash, and leaves nothing', async () => {
  const driversDir = join(root, 'tampered')
  const wrong = `sha512-${createHash('sha512').update('another').digest('base64')}`
  const message = await mistakeOf(installDriver(tinyPlace(driversDir, wrong)))
  assert.match(message, /does not have the hash/)
  assert.deepEqual(readdirSync(driversDir), [])
})

test('installDriver() reports a registry that cannot be reached', async () => {
  const { npm_config_registry: registryUrl } = process.env
  process.env.npm_config_registry = 'http://127.0.0.1:1/'
  process.env.npm_config_cache = join(root, 'empty-cache')
  try {
    const driversDir = join(root, 'offline')
    assert.match(
      await mistakeOf(installDriver(tinyPlace(driversDir))),
      /Cannot reach the package registry \(ECONNREFUSED\)/,
    )
    assert.deepEqual(readdirSync(driversDir), [])
  } finally {
    Object.assign(process.env, registryEnv, { npm_config_registry: registryUrl })
  }
})

test('installDriver() reports a folder that cannot be written', async () => {
  const file = join(root, 'a-file')
  writeFileSync(file, '')
  const message = await mistakeOf(installDriver(tinyPlace(join(file, 'drivers'))))
  assert.match(message, /Cannot write to .*\. Set WEIR_DRIVERS_DIR/)
})

/** Runs `weir add`. */
async function weirAdd(
  name: string,
  env: Readonly<Record<string, string>>,
): Promise<{ code: number; text: string }> {
  const { promise, resolve } = Promise.withResolvers<{ code: number; text: string }>()
  const args = [COMMAND_FILE, 'add', name]
  execFile(process.execPath, args, { env: { ...childEnv, ...env } }, (error, stdout, stderr) =>
    resolve({ code: Number(error?.code ?? 0), text: `${stdout}${stderr}` }),
  )
  return await promise
}

test('weir add refuses a name that is no driver, and says when npm is missing', async () => {
  const wrong = await weirAdd('mongodb', {})
  assert.equal(wrong.code, 64)
  assert.match(wrong.text, /add takes sqlserver or oracle, not "mongodb"/)
  const driversDir = join(root, 'no-npm')
  const missing = await weirAdd('oracle', { PATH: root, WEIR_DRIVERS_DIR: driversDir })
  assert.equal(missing.code, 1)
  assert.match(missing.text, /npm is not found/)
  assert.deepEqual(readdirSync(driversDir), [])
})

test('weir add that is killed leaves no driver', async () => {
  const driversDir = join(root, 'killed')
  isHanging = true
  const { npm_config_registry = '' } = process.env
  const child = spawn(process.execPath, [COMMAND_FILE, 'add', 'oracle'], {
    env: {
      ...childEnv,
      ...registryEnv,
      npm_config_registry,
      WEIR_DRIVERS_DIR: driversDir,
      npm_config_cache: join(root, 'killed-cache'),
    },
    detached: true,
    stdio: 'ignore',
  })
  try {
    await eventually(() => assert.ok(hangingCount > 0))
  } finally {
    const gone = once(child, 'exit')
    process.kill(-(child.pid ?? 0), 'SIGKILL')
    await gone
    isHanging = false
  }
  const { folder } = driverPlace('oracle', driversDir)
  assert.equal(readdirSync(driversDir).includes(basename(folder)), false)
})

test('loadDriver() takes the folder of weir add before node_modules', () => {
  const driversDir = join(root, 'loaded')
  const { folder } = driverPlace('oracle', driversDir)
  const place = join(folder, 'node_modules', 'oracledb')
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, 'index.js'), 'module.exports = "added"')
  assert.equal(loadDriver('oracle', driversDir)('oracledb'), 'added')
  assert.notEqual(loadDriver('oracle', join(root, 'none'))('oracledb'), 'added')
})

test('an installation without the driver names the command that installs it', async () => {
  const copy = join(root, 'production')
  for (const part of [
    'src/connectors/driver',
    'src/connectors/database/database-port.ts',
    'src/base',
    'package.json',
    'drivers',
  ])
    cpSync(part, join(copy, part), { recursive: true })
  const url = new URL(`file://${join(copy, 'src/connectors/driver/load-driver.ts')}`)
  const { loadDriver: load } = (await import(url.href)) as { loadDriver: typeof loadDriver }
  assert.equal(basename(dirname(driverPlace('oracle').folder)), 'weir-drivers')
  for (const name of ['sqlserver', 'oracle'] as const) {
    assert.throws(() => load(name, join(root, 'none')), {
      reason: 'no_driver',
      message: new RegExp(`is not installed\\. Run weir add ${name}$`),
    })
  }
})
