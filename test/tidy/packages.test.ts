import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { DRIVER_NAMES } from '../../src/connectors/driver/driver-place.ts'
import { DRIVER_FOLDERS, driverLock } from '../../tools/write-driver-locks.ts'

interface LockedPackage {
  readonly version?: string
  readonly integrity?: string
  readonly hasInstallScript?: boolean
  readonly resolved?: string
  readonly optional?: boolean
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly os?: string | readonly string[]
  readonly cpu?: string | readonly string[]
}

const lockFile = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, LockedPackage>
}
const { packages } = lockFile
const wanted = JSON.parse(readFileSync('package.json', 'utf8')) as {
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
  optionalDependencies: Record<string, string>
  scripts: Record<string, string>
  allowScripts: Record<string, boolean>
}
const locked = Object.entries(packages).filter(([place]) => place !== '')

test('every package that may be installed is in the lock file with its hash', () => {
  for (const [place, { integrity }] of locked) assert.match(integrity ?? '', /^sha512-/, place)
})

test('the lock file has the parts for every platform, without which npm ci refuses', () => {
  const missing = locked.flatMap(([place, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) =>
        packages[`node_modules/${name}`] === undefined &&
        packages[`${place}/node_modules/${name}`] === undefined,
    ),
  )
  assert.deepEqual(missing, [])
})

test('no package runs a script of its own when it is installed', () => {
  const scripted = locked
    .filter(([, { hasInstallScript }]) => hasInstallScript === true)
    .map(([place]) => place.replace(/^node_modules\//, ''))
  // npm asks about those that are not named, and runs none that is named false.
  assert.deepEqual(wanted.allowScripts, Object.fromEntries(scripted.map((name) => [name, false])))
})

test('Node comes in one version, as one package for each platform', () => {
  const versions = new Set(Object.values(wanted.optionalDependencies))
  assert.equal(versions.size, 1)
  assert.equal([...versions][0], process.versions.node)
  for (const name of Object.keys(wanted.optionalDependencies)) {
    const { os, cpu, optional } = packages[`node_modules/${name}`] ?? {}
    assert.ok(os !== undefined && cpu !== undefined && optional === true, name)
  }
})

test('dependencies are named by exact versions', () => {
  const ranges = Object.entries({
    ...wanted.dependencies,
    ...wanted.devDependencies,
    ...wanted.optionalDependencies,
  })
  for (const [name, version] of ranges)
    assert.match(version, /^(?:npm:[a-z-]+@)?\d+\.\d+\.\d+$/, name)
})

test('add-on drivers are not in production, and are pinned as package-lock.json has them', () => {
  assert.deepEqual(DRIVER_FOLDERS, DRIVER_NAMES)
  for (const folder of DRIVER_FOLDERS) {
    const read = (file: string) => readFileSync(`drivers/${folder}/${file}`, 'utf8')
    const { dependencies } = JSON.parse(read('package.json')) as typeof wanted
    for (const [name, version] of Object.entries(dependencies)) {
      assert.equal(wanted.dependencies[name], undefined)
      assert.equal(wanted.devDependencies[name], version, `${name}: change drivers/${folder}`)
    }
    assert.equal(read('package-lock.json'), driverLock(folder), 'run npm run drivers')
    const places = Object.entries((JSON.parse(driverLock(folder)) as typeof lockFile).packages)
    for (const [place, { integrity, resolved }] of places.slice(1)) {
      assert.match(integrity ?? '', /^sha512-/, place)
      assert.equal(resolved, undefined, place)
    }
  }
})

test('every way to start gives Node and the C library the same', () => {
  const { start } = wanted.scripts
  const words = start.split(' ').filter((word) => /^(?:--|MALLOC_)/.test(word))
  assert.ok(words.length >= 3, start)
  // A program writes a setting as `NAME: 'value'`. Others start the command `weir`, which is that program.
  const text = readFileSync('src/serve-command.ts', 'utf8').replaceAll(
    /(\w+): '?([^',\s]*)'?/g,
    '$1=$2',
  )
  for (const word of [...words, 'NODE_COMPILE_CACHE=']) assert.ok(text.includes(word), word)
  const flags = words.filter((word) => word.startsWith('--'))
  const executable = readFileSync('tools/release/build-binary.ts', 'utf8')
  for (const flag of flags) assert.ok(executable.includes(flag), flag)
  const commands = { 'deploy/Dockerfile': 'CMD ["weir"]', 'deploy/weir.service': '/bin/weir\n' }
  for (const [file, command] of Object.entries(commands))
    assert.ok(readFileSync(file, 'utf8').includes(command), file)
})
