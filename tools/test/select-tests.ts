import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { type ImportGraph, reachedFrom, readImportGraph } from './import-graph.ts'
import type { TestCommand } from './read-test-command.ts'
import { isProgramTest, isQuickTest } from './test-tiers.ts'

/** Where all parts are put together: whoever loads it reaches every source file. */
const ROOT = 'src/app.ts'

/** The test files of a command, of those that reach changed files when these are given; ends the process when a pattern matches none. */
export function selectTests(command: TestCommand, changed?: readonly string[]): string[] {
  const { patterns, namesFiles, isQuick } = command
  for (const pattern of patterns) {
    if (globSync(pattern).length > 0) continue
    console.error(`No test file matches ${pattern}`)
    process.exit(1)
  }
  const matching = globSync([...patterns]).filter(
    (file) => (namesFiles || !isProgramTest(file)) && (!isQuick || isQuickTest(file)),
  )
  const files = [...new Set(matching)].sort()
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
 * Whether a test may fail for a change of a file. A test that starts a whole service would be reached by every change,
 * so imports are followed up to the root only; of these tests the ones in the folder of the changed part are taken.
 */
export function reaches(graph: ImportGraph, test: string, changed: string): boolean {
  if (test === changed) return true
  if (!graph.has(changed)) return readFileSync(test, 'utf8').includes(basename(changed))
  const reached = reachedFrom(graph, test, (file) => file === ROOT)
  if (reached.has(changed)) return true
  if (!reached.has(ROOT) || changed.endsWith('.test.ts')) return false
  const part = /^src\/(\w+)\//.exec(changed)?.[1]
  return part === undefined || test.includes(`/${part}/`)
}
