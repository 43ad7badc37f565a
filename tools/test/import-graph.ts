/** Which source files load which: read from their import statements, and from the URLs of what they start. */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Module names as written in the file. Statements that import only types are left out: they load nothing. */
const IMPORTS =
  /^(?:import|export)\s+(?!type\b)(?:[^'"`;]*?from\s+)?'([^']+)'|\bimport\('([^']+)'\)|\bnew URL\(\s*'([^']+\.ts)',\s*import\.meta\.url/gm

/** Imports by file; paths are relative to the root of the project, packages keep their names. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>

/** Reads the imports of every source file of the project. */
export function readImportGraph(): ImportGraph {
  const folders = ['src/**/*.ts', 'test/**/*.ts', 'tools/**/*.ts', 'bench/**/*.ts']
  const files = globSync([...folders, 'studio/src/**/*.{ts,tsx}'])
  return new Map(files.map((file) => [file, importsIn(readFileSync(file, 'utf8'), file)]))
}

function importsIn(text: string, file: string): string[] {
  return [...text.matchAll(IMPORTS)].map(([, statement, call, url]) => {
    const name = statement ?? call ?? url
    const isRelative = name.startsWith('.') || url !== undefined
    return isRelative ? join(dirname(file), name) : name
  })
}

/** All that a file loads, directly or through others; files for which `isEnd` holds are named but not entered. */
export function reachedFrom(
  graph: ImportGraph,
  start: string,
  isEnd: (file: string) => boolean = () => false,
): ReadonlySet<string> {
  const reached = new Set<string>()
  const open = [start]
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    for (const next of graph.get(file) ?? []) {
      if (reached.has(next)) continue
      reached.add(next)
      if (!isEnd(next)) open.push(next)
    }
  }
  return reached
}
