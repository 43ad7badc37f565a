import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { type ImportGraph, reachedFrom, readImportGraph } from '../../tools/test/import-graph.ts'
import { reaches, selectTests } from '../../tools/test/select-tests.ts'

const graph: ImportGraph = new Map([
  ['src/app.ts', ['src/feed/index.ts', 'src/auth/index.ts']],
  ['src/feed/index.ts', ['src/feed/put.ts', 'node:fs']],
  ['src/feed/put.ts', []],
  ['src/feed/put.test.ts', ['src/feed/put.ts']],
  ['src/auth/index.ts', []],
  ['test/support/service.ts', ['src/app.ts']],
  ['test/support/other.ts', []],
  ['studio/src/page.tsx', []],
  ['test/api/feed/put.test.ts', ['test/support/service.ts']],
  ['test/api/auth/keys.test.ts', ['test/support/service.ts']],
])
const tests = [...graph.keys()].filter((file) => file.endsWith('.test.ts'))
const chosenFor = (changed: string) => tests.filter((file) => reaches(graph, file, changed))

test('reachedFrom() follows imports up to the given end', () => {
  const all = reachedFrom(graph, 'test/api/feed/put.test.ts')
  assert.ok(all.has('src/feed/put.ts') && all.has('node:fs'))
  const some = reachedFrom(graph, 'test/api/feed/put.test.ts', (file) => file === 'src/app.ts')
  assert.deepEqual([...some], ['test/support/service.ts', 'src/app.ts'])
})

test('reachedFrom() ends in a cycle of imports', () => {
  const cycle: ImportGraph = new Map([
    ['a', ['b']],
    ['b', ['a']],
  ])
  assert.deepEqual([...reachedFrom(cycle, 'a')], ['b', 'a'])
})

test('a change is met by the tests that load the file, and by the service tests of its part', () => {
  assert.deepEqual(chosenFor('src/feed/put.ts'), [
    'src/feed/put.test.ts',
    'test/api/feed/put.test.ts',
  ])
  assert.deepEqual(chosenFor('src/auth/index.ts'), ['test/api/auth/keys.test.ts'])
})

test('a change of the root or of the support of services is met by every service test', () => {
  const ofServices = ['test/api/feed/put.test.ts', 'test/api/auth/keys.test.ts']
  assert.deepEqual(chosenFor('src/app.ts'), ofServices)
  assert.deepEqual(chosenFor('test/support/service.ts'), ofServices)
})

test('a change outside the sources is met by no service test that does not load it', () => {
  assert.deepEqual(chosenFor('test/support/other.ts'), [])
  assert.deepEqual(chosenFor('studio/src/page.tsx'), [])
})

test('a change of the packages is met by every test', () => {
  assert.deepEqual(chosenFor('package-lock.json'), tests)
})

test('a changed test meets itself', () => {
  assert.deepEqual(chosenFor('src/feed/put.test.ts'), ['src/feed/put.test.ts'])
})

test('a changed file that is no module is met by the tests that name it', () => {
  const read = readImportGraph()
  const docs = 'test/docs/names.test.ts'
  assert.ok(reaches(read, docs, 'docs/configuration.md'))
  assert.ok(!reaches(read, docs, 'docs/no-such-page.md'))
})

test('a changed file that is no module is met by the tests beside it, and by those that load a reader of it or name its folder', () => {
  const read = readImportGraph()
  assert.ok(reaches(read, 'test/scenario/scenario.test.ts', 'test/scenario/get.txt'))
  assert.ok(reaches(read, 'test/gql/payloads.test.ts', 'test/fixtures/payloads/rss/body.xml'))
  const page = 'src/http/pages/docs/docs-page.test.ts'
  assert.ok(reaches(read, page, 'src/http/pages/docs/docs.css'))
  assert.ok(!reaches(read, 'src/time/zone.test.ts', 'src/http/pages/docs/docs.css'))
})

test('a removed module selects the tests that load its importers', () => {
  const removed = new Map(readImportGraph())
  removed.delete('src/time/zone.ts')
  assert.ok(reaches(removed, 'src/time/zone.test.ts', 'src/time/zone.ts'))
})

test('a change of the studio is met by the tests that load it through other modules', () => {
  const read = readImportGraph()
  const test = 'test/studio/board-ranges.test.ts'
  const changed = 'studio/src/ui/time/zone-time.ts'
  assert.ok(!read.get(test)?.includes(changed))
  assert.ok(reaches(read, test, changed))
})

test('readImportGraph() sees imports over several lines, calls, and files that are started, but no types', () => {
  const read = readImportGraph()
  assert.ok(read.get('tools/test/select-tests.ts')?.includes('tools/test/import-graph.ts'))
  assert.ok(!read.get('tools/test/select-tests.ts')?.includes('tools/test/read-test-command.ts'))
  const storage = read.get('src/assembly/open-storage.ts')
  assert.ok(storage?.includes('src/assembly/open-cluster-storage.ts'))
  const link = read.get('src/store/embedded/journal/journal-link.ts')
  assert.ok(link?.includes('src/store/embedded/journal/journal-thread.ts'))
})

test('selectTests() leaves slow tests and programs out of the quick run, and programs out of all', () => {
  const command = {
    isNightly: false,
    isBailing: false,
    namesFiles: false,
    patterns: ['src/**/*.test.ts', 'test/**/*.test.ts'],
  }
  const all = selectTests({ ...command, isQuick: false })
  const quick = selectTests({ ...command, isQuick: true })
  assert.ok(all.some((file) => file.startsWith('test/slow/browser/')))
  assert.ok(!all.some((file) => file.startsWith('test/programs/')))
  assert.deepEqual(
    quick,
    all.filter((file) => !file.startsWith('test/slow/')),
  )
})

const named = { isNightly: false, isBailing: false, namesFiles: true }

test('selectTests() reads an absolute path as one below the root', () => {
  const file = 'test/slow/process/test-groups.test.ts'
  assert.deepEqual(selectTests({ ...named, isQuick: false, patterns: [resolve(file)] }), [file])
})

test('selectTests() refuses a pattern without a test file that it would run', (t) => {
  t.mock.method(console, 'error', () => {})
  t.mock.method(process, 'exit', (code: number) => {
    throw new Error(`exit ${code}`)
  })
  const refuses = (pattern: string, isQuick = false) =>
    assert.throws(() => selectTests({ ...named, isQuick, patterns: [pattern] }), /exit 1/, pattern)
  for (const pattern of ['src/app.ts', 'src/time', 'src/none/*.test.ts']) refuses(pattern)
  refuses('test/slow/process/*.test.ts', true)
})
