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

/** The first cells of tables that name a folder: `catalog/index`, as seen from src. */
function foldersNamedIn(page: string): string[] {
  const rows = readFileSync(page, 'utf8').matchAll(/^\| `([^`]+)` \| \S/gm)
  return [...rows].map(([, folder]) => folder)
}

test('every folder under src is named in the README of its part or in ARCHITECTURE.md', () => {
  const pages = ['ARCHITECTURE.md', ...globSync('src/**/README.md')]
  const named = new Set(pages.flatMap(foldersNamedIn))
  const folders = foldersOf(sources)
  assert.deepEqual(
    folders.filter((folder) => !named.has(folder)),
    [],
  )
  const gone = globSync('src/**/README.md').flatMap((page) =>
    foldersNamedIn(page).filter((folder) => !folders.includes(folder)),
  )
  assert.deepEqual(gone, [], 'a README names a folder that does not exist')
})

test('a README of a part has at most 60 lines, and ARCHITECTURE.md at most 250', () => {
  const limits = ['ARCHITECTURE.md', ...globSync('{src,studio}/**/README.md')].map((page) => ({
    page,
    lines: readFileSync(page, 'utf8').split('\n').length - 1,
    linesMax: page === 'ARCHITECTURE.md' ? 250 : 60,
  }))
  assert.ok(limits.length > 10)
  assert.deepEqual(
    limits.filter(({ lines, linesMax }) => lines > linesMax),
    [],
  )
})
