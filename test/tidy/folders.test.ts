import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { test } from 'node:test'

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
