import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { test } from 'node:test'
import { reachedFrom, readImportGraph } from '../../tools/test/import-graph.ts'
import { isProgramTest, SLOW_FOLDERS } from '../../tools/test/test-tiers.ts'

const graph = readImportGraph()

/** The slow folder that a test belongs to by what it loads; what the service itself loads does not count. */
function slowFolderOf(file: string): string | undefined {
  const loaded = reachedFrom(graph, file, (next) => next.startsWith('src/'))
  const fitting = Object.entries(SLOW_FOLDERS).find(([, needs]) =>
    needs.some((need) => loaded.has(need)),
  )
  return fitting?.[0]
}

test('a test that needs a browser, a cluster, a database server or a process is in the folder of that kind, and no other test is', () => {
  const misplaced: string[] = []
  const tests = [...graph.keys()].filter((file) => file.endsWith('.test.ts'))
  for (const file of tests.filter((one) => !isProgramTest(one))) {
    const folder = slowFolderOf(file)
    const isThere =
      folder === undefined
        ? !file.startsWith('test/slow/')
        : file.startsWith(`test/slow/${folder}/`)
    if (!isThere) misplaced.push(`${file} belongs to ${folder ?? 'no folder of test/slow'}`)
  }
  assert.ok(tests.length > 500, `found ${tests.length} tests only`)
  assert.deepEqual(misplaced, [])
})

test('every file that is named like a test is one that npm test runs', () => {
  const named = globSync('**/*.{test,spec}.{ts,tsx,mts,cts,js,jsx,mjs,cjs}', {
    exclude: (name) => name === 'node_modules' || name === '.git',
  })
  assert.ok(named.length > 500, `found ${named.length} tests only`)
  assert.deepEqual(
    named.filter((file) => !/^(src|test)\/.*\.test\.ts$/.test(file)),
    [],
  )
})
