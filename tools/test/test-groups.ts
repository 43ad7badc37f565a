/**
 * Test files that share a process. A process of its own for every file took two fifths of the processor time: each loads
 * the service again, and runs it as code that no compiler has seen yet.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Small enough that the last group does not keep all waiting; files beside the sources take a moment each, slow ones long. */
function filesMaxOf(file: string): number {
  if (file.startsWith('src/')) return 40
  if (file.startsWith('test/slow/cluster/')) return 5
  return file.startsWith('test/slow/') ? 12 : 24
}

/** What a file says that changes its process, or measures it. */
const ALONE = /^\/\/ Alone: \S/m

/** Makes an entry in a folder for each group of files, in their order; what is alone is its own. */
export function groupFiles(files: readonly string[], folder: string): string[] {
  return gather(files).map((group) => {
    // Not a hyphen, which names of files have: two groups would write the same entry.
    const name = group[0].replaceAll('/', '+').replace(/\.test\.m?ts$/, '')
    const entry = join(folder, `${name}.test.mjs`)
    writeFileSync(entry, entryOf(group))
    return entry
  })
}

function gather(files: readonly string[]): string[][] {
  const groups: string[][] = []
  let open: string[] = []
  for (const file of files) {
    if (ALONE.test(readFileSync(file, 'utf8'))) {
      groups.push([file])
      continue
    }
    const isFull = open.length >= filesMaxOf(file)
    if (open.length === 0 || isFull || topOf(open[0]) !== topOf(file)) {
      open = []
      groups.push(open)
    }
    open.push(file)
  }
  return groups
}

/** The folder whose files may share a process. */
function topOf(file: string): string {
  const depth = file.startsWith('test/slow/') ? 3 : 1
  return file.split('/').slice(0, depth).join('/')
}

/**
 * Files load one after the other: tests that a file registers belong to its suite only while no other file is loading.
 * The end of the measurement is registered last, behind the hooks of the file.
 */
function entryOf(files: readonly string[]): string {
  const url = (path: string) => JSON.stringify(pathToFileURL(resolve(path)).href)
  const own = (path: string) => JSON.stringify(new URL(path, import.meta.url).href)
  const suites = files.map((file) => {
    const name = JSON.stringify(file)
    return [
      'await new Promise((loaded) => describe(',
      `  ${name}, async () => {`,
      '  let end',
      `  before(() => { end = measureFile(${name}) })`,
      '  try {',
      `    await import(${url(file)})`,
      '    after(() => end())',
      '  } finally {',
      '    loaded()',
      '  }',
      '}))',
    ].join('\n')
  })
  return [
    `import { after, before, describe } from 'node:test'`,
    `import { measureFile } from ${own('./file-cost.ts')}`,
    `import ${own('../../test/support/at-end.ts')}`,
    `import ${own('../../test/support/reused-threads.ts')}`,
    ...suites,
    '',
  ].join('\n')
}
