import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { test } from 'node:test'

/** More sources than this in one folder are not seen at a glance. */
const SOURCES_MAX = 25

const sources = globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts'))

function foldersOf(files: readonly string[]): string[] {
  const folders = new Set<string>()
  for (const file of files) {
    for (let folder = relative('src', dirname(file)); ; folder = dirname(folder)) {
      if (folder === '' || folder === '.') break
      folders.add(folder)
    }
  }
  return [...folders].sort()
}

test('every folder under src has a sentence in the table of folders of ARCHITECTURE.md', () => {
  const [, table = ''] = readFileSync('ARCHITECTURE.md', 'utf8').split('### Folders\n')
  const rows = [...table.split('\n## ')[0].matchAll(/^\| `([^`]+)` \| \S.*\. \|$/gm)]
  assert.deepEqual(rows.map(([, folder]) => folder).sort(), foldersOf(sources))
})

test(`no folder under src and studio has more than ${SOURCES_MAX} sources`, () => {
  const counts = new Map<string, number>()
  const studio = globSync(['studio/src/**/*.ts', 'studio/src/**/*.tsx'])
  for (const file of [...sources, ...studio])
    counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
  assert.deepEqual(
    [...counts].filter(([, count]) => count > SOURCES_MAX),
    [],
  )
})
