import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { groupFiles } from '../../../tools/test/test-groups.ts'
import { childEnv } from '../../support/child-env.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const root = temporaryFolder()
const GROUP_MS_MAX = 120_000

/** Writes test files of these bodies, and answers their entries. */
function groupOf(name: string, bodies: Readonly<Record<string, string>>): string[] {
  const folder = join(root, name)
  mkdirSync(folder)
  const files = Object.entries(bodies).map(([file, body]) => {
    writeFileSync(join(folder, file), `import { test } from 'node:test'\n${body}\n`)
    return join(folder, file)
  })
  return groupFiles(files, folder)
}

function run(entry: string) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [entry], {
    env: { ...childEnv, WEIR_TEST_LEFT_OPEN_MS: '100' },
    encoding: 'utf8',
    // This thread is blocked meanwhile, so no other limit would end it.
    timeout: GROUP_MS_MAX,
    killSignal: 'SIGKILL',
  })
  return { status, output: stdout + stderr }
}

test('groupFiles() keeps the order of files, and those alone that say so', () => {
  const bodies = Object.fromEntries(
    [...'abcdefghijklmnopqrstuvwxyz'].map((name) => [
      `${name}.test.mjs`,
      name === 'e' ? `// Alone: it says so.` : '',
    ]),
  )
  const entries = groupOf('order', bodies)
  const named = entries.map((entry) =>
    [...readFileSync(entry, 'utf8').matchAll(/import\("[^"]*(\w)\.test\.mjs"\)/g)].map(
      ([, name]) => name,
    ),
  )
  assert.deepEqual(
    named.map((files) => files.join('')),
    ['abcdfghijklmnopqrstuvwxy', 'e', 'z'],
  )
})

test('groupFiles() makes two entries for paths that differ by a hyphen only', () => {
  const folder = join(root, 'hyphens')
  mkdirSync(join(folder, 'a'), { recursive: true })
  const files = [join(folder, 'a/b.test.ts'), join(folder, 'a-b.test.ts')]
  for (const file of files) writeFileSync(file, '// Alone: it says so.')
  assert.equal(new Set(groupFiles(files, folder)).size, 2)
})

test('a group passes when all tests of its files do', () => {
  const [entry] = groupOf('fine', {
    'a.test.mjs': `test('a', () => {})`,
    'b.test.mjs': `test('b')`,
  })
  const { status, output } = run(entry)
  assert.equal(status, 0, output)
  assert.match(output, /tests 2\b/)
})

const AT_END = new URL('../../support/at-end.ts', import.meta.url).href

/** A module of a thread that is reused, and ends the thread on request, once its use is over. */
const ENDED_THREAD = `
import { writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { BroadcastChannel, Worker } from 'node:worker_threads'
const module = new URL('./journal-thread.ts', import.meta.url)
writeFileSync(module, 'new BroadcastChannel("end").onmessage = () => process.exit(0)')
test('b', async () => {
  await once(new Worker(module), 'exit')
  const failed = new Promise((resolve) => process.once('uncaughtException', resolve))
  const channel = new BroadcastChannel('end')
  channel.postMessage('now')
  await failed
  channel.close()
  await once(new Worker(module), 'exit')
  console.log('The next use is over')
})`

for (const [what, body] of Object.entries({
  'a test fails': `test('b', () => { throw new Error('b') })`,
  'a file cannot be loaded': `throw new Error('b')`,
  'a test ends the process': `test('b', () => { process.exit(0) })`,
  'what is done at the end does not end': `import { atEnd } from '${AT_END}'\natEnd(() => new Promise(() => {}))`,
  'a test leaves something open': `test('b', () => { setInterval(() => {}, 1_000) })`,
})) {
  test(`a group fails where ${what}`, () => {
    const bodies = { 'a.test.mjs': `test('a', () => {})`, 'b.test.mjs': body, 'c.test.mjs': '' }
    const [entry] = groupOf(what, bodies)
    const { status, output } = run(entry)
    assert.notEqual(status, 0, output)
  })
}

test('a group fails where a reused thread ends after its use, and the next use gets another', () => {
  const [entry] = groupOf('thread', { 'a.test.mjs': ENDED_THREAD })
  const { status, output } = run(entry)
  assert.notEqual(status, 0, output)
  assert.match(output, /A thread ended after its use/)
  assert.match(output, /The next use is over/)
})
