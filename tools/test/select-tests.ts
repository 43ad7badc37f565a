import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, relative } from 'node:path'
import { type ImportGraph, reachedFrom, readImportGraph } from './import-graph.ts'
import type { TestCommand } from './read-test-command.ts'
import { isProgramTest, isQuickTest } from './test-tiers.ts'

/** Where all parts are put together: loading it reaches every source file. */
const ROOT = 'src/app.ts'

/** What decides on the packages that every test loads. */
const PACKAGES = ['package.json', 'package-lock.json']

/** The test files of a command, of those that reach changed files when these are given; ends the process when a pattern matches none. */
export function selectTests(command: TestCommand, changed?: readonly string[]): string[] {
  const { patterns, namesFiles, isQuick } = command
  const isWanted = (file: string) =>
    /\.test\.m?ts$/.test(file) &&
    (namesFiles || !isProgramTest(file)) &&
    (!isQuick || isQuickTest(file))
  const found = new Set<string>()
  for (const pattern of patterns) {
    // The folder of a test decides how it runs: an absolute path is read as a path below the root.
    const matching = globSync(pattern).map((file) => relative('.', file))
    const wanted = matching.filter(isWanted)
    for (const file of wanted) found.add(file)
    if (wanted.length > 0) continue
    console.error(`No test file${isQuick ? ' outside test/slow' : ''} matches ${pattern}`)
    process.exit(1)
  }
  const files = [...found].sort()
  return changed === undefined ? files : reaching(files, changed)
}

function reaching(tests: readonly string[], changed: readonly string[]): string[] {
  const graph = readImportGraph()
  const isReached = (test: string) =>
    // These read all sources and load none.
    test.startsWith('test/tidy/') || changed.some((file) => reaches(graph, test, file))
  return changed.length === 0 ? [] : tests.filter(isReached)
}

/**
 * Whether a change of a file can make a test fail. Every change would reach a test that starts the whole service, so
 * imports are followed up to the root only. Of those tests, the ones in the folder of the changed part are chosen.
 */
export function reaches(graph: ImportGraph, test: string, changed: string): boolean {
  if (test === changed) return true
  if (PACKAGES.includes(changed)) return true
  if (!graph.has(changed)) {
    const readers = readersOf(graph, changed)
    return readers.includes(test) || readers.some((reader) => reaches(graph, test, reader))
  }
  const reached = reachedFrom(graph, test, (file) => file === ROOT)
  if (reached.has(changed)) return true
  if (!reached.has(ROOT) || !changed.startsWith('src/') || changed.endsWith('.test.ts'))
    return false
  const part = /^src\/(\w+)\//.exec(changed)?.[1]
  return part === undefined || test.includes(`/${part}/`)
}

const readers = new Map<string, readonly string[]>()

/**
 * The modules that may read a file that is none, or load one that is gone: they name it, or its folder in `test`, or they
 * are tests beside it. Sources name pages of the documentation in comments, so of these only tests count.
 */
function readersOf(graph: ImportGraph, changed: string): readonly string[] {
  const known = readers.get(changed)
  if (known !== undefined) return known
  const folder = dirname(changed)
  const names = [basename(changed)]
  for (let at = folder; at.startsWith('test/'); at = dirname(at)) names.push(`${at}/`)
  const found = [...graph.keys()].filter((file) => {
    const isTest = file.endsWith('.test.ts')
    if (changed.endsWith('.md') && !isTest) return false
    if (isTest && dirname(file) === folder) return true
    const text = readFileSync(file, 'utf8')
    return names.some((name) => text.includes(name))
  })
  readers.set(changed, found)
  return found
}
