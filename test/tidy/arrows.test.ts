import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, sep } from 'node:path'
import { test } from 'node:test'

/** Which part may import which; `http` may also use any part below it but no storage adapter. */
const arrows: Record<string, readonly string[]> = {
  base: [],
  time: ['base'],
  access: ['base'],
  expression: ['base', 'time'],
  promql: ['base', 'time'],
  prometheus: ['base', 'time', 'access', 'catalog', 'store', 'feed', 'promql'],
  store: ['base', 'time'],
  catalog: ['base', 'time', 'access', 'expression', 'store'],
  auth: ['base', 'access', 'catalog', 'store'],
  feed: ['base', 'time', 'access', 'catalog', 'store'],
  intake: ['base', 'time', 'catalog', 'feed', 'store'],
  files: ['base', 'access', 'catalog', 'store', 'feed'],
  derivation: ['base', 'time', 'access', 'expression', 'catalog', 'store', 'feed'],
  correct: ['base', 'time', 'access', 'catalog', 'store', 'feed', 'derivation'],
  migrate: ['base', 'intake'],
  move: ['base', 'catalog', 'store', 'files', 'derivation'],
  sql: ['base', 'time', 'expression'],
  gql: ['base', 'time', 'access', 'expression', 'catalog', 'store', 'feed', 'sql'],
  connectors: [
    'base',
    'time',
    'access',
    'catalog',
    'store',
    'auth',
    'feed',
    'intake',
    'sql',
    'gql',
  ],
  alerts: [
    'base',
    'time',
    'access',
    'expression',
    'catalog',
    'store',
    'auth',
    'feed',
    'connectors',
  ],
  http: [
    'base',
    'time',
    'access',
    'expression',
    'store',
    'catalog',
    'auth',
    'feed',
    'files',
    'intake',
    'derivation',
    'correct',
    'sql',
    'gql',
    'connectors',
    'alerts',
    'promql',
    'prometheus',
  ],
  cli: ['base', 'store'],
  demo: [],
}

/** Which folder of store/embedded may import which: seal writes samples.db, sealed reads it. */
const embeddedArrows: Record<string, readonly string[]> = {
  disk: [],
  chunk: [],
  damage: ['disk'],
  summary: ['chunk'],
  journal: ['disk', 'damage'],
  rows: ['chunk', 'summary', 'damage'],
  head: ['disk', 'damage', 'chunk', 'journal'],
  seal: ['disk', 'damage', 'chunk', 'journal', 'rows', 'head'],
  sealed: ['damage', 'chunk', 'summary', 'journal', 'rows', 'head'],
  blobs: ['disk', 'damage'],
  catalog: ['disk', 'damage'],
  payloads: ['disk', 'damage'],
  samples: ['disk', 'damage', 'chunk', 'summary', 'journal', 'rows', 'head', 'seal', 'sealed'],
  folder: ['disk', 'damage', 'journal', 'rows', 'seal', 'catalog', 'payloads'],
  backup: ['disk', 'damage', 'journal', 'rows', 'folder', 'payloads'],
}

/** Which folder of store/cassandra may import which. */
const cassandraArrows: Record<string, readonly string[]> = {
  connection: [],
  blobs: ['connection'],
  samples: ['connection'],
  schema: ['connection', 'blobs', 'samples'],
}

/** Which folder of store/postgres may import which. */
const postgresArrows: Record<string, readonly string[]> = {
  connection: [],
  schema: ['connection'],
  catalog: ['connection', 'schema'],
  payloads: ['connection'],
  'sample-order': ['connection'],
}

const sources = globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts'))

function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8')
  const pattern = /(?:^|\n)\s*(?:import|export)\s[^'"`;]*?from\s+['"]([^'"]+)['"]/g
  return [...text.matchAll(pattern)].map((match) => match[1])
}

/** Those of its imports that are there at run time, too. */
function loadsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8').replace(/^(?:import|export) type [^;'"]*'[^']+'/gm, '')
  return [...text.matchAll(/^(?:import|export)\s[^'"`;]*?from\s+'([^']+)'/gm)].map(
    ([, name]) => name,
  )
}

/** The lines that import from Node, of which a file that is a thread has those of worker_threads. */
function importLines(file: string): string {
  return (
    readFileSync(file, 'utf8')
      .match(/^import .* from 'node:worker_threads'$/gm)
      ?.join('') ?? ''
  )
}

function targetOf(file: string, specifier: string): string {
  return normalize(join(dirname(file), specifier))
}

function partOf(file: string): string {
  return file.split(sep)[1]
}

/** How many names a door passes on. */
function namesAt(door: string): number {
  const lists = readFileSync(door, 'utf8').matchAll(/^export (?:type )?\{([^}]*)\}/gm)
  return [...lists].flatMap(([, list]) => list.split(',').filter((name) => name.trim() !== ''))
    .length
}

/** Rooms of large parts with a door of their own: who needs one of them names it instead of the whole part. */
const rooms: Record<string, readonly string[]> = {
  auth: ['administer', 'oauth'],
  catalog: ['create', 'record', 'shape'],
  feed: ['live', 'put', 'statistic'],
}

/** Names that a door may have before a room should get its own. */
const DOOR_NAMES_MAX = 60

/** Where others come into a part; some have a second door for threads, or doors of rooms. */
function doorsOf(part: string): string[] {
  const names = ['index.ts', ...(rooms[part] ?? []).map((room) => join(room, 'index.ts'))]
  if (['base', 'feed', 'promql'].includes(part)) names.push('plain.ts')
  return names.map((name) => join('src', part, name))
}

test('a part has the doors that are listed, and none of them is wide', () => {
  for (const part of Object.keys(rooms)) {
    const found = sources.filter((file) => file.startsWith(join('src', part, '')))
    const doors = found.filter((file) => file.endsWith(`${sep}index.ts`)).sort()
    assert.deepEqual(
      doors,
      doorsOf(part)
        .filter((door) => door.endsWith('index.ts'))
        .sort(),
    )
    for (const door of doors) {
      const count = namesAt(door)
      assert.ok(count > 0 && count <= DOOR_NAMES_MAX, `${door} exports ${count} names`)
    }
  }
})

test('parts import only what the table of arrows allows, through the door index.ts', () => {
  const crossings: string[] = []
  for (const file of sources) {
    const part = partOf(file)
    // The composition root and its pieces know everything; nothing but the root knows them.
    if (part.endsWith('.ts') || part === 'assembly') continue
    for (const specifier of importsOf(file)) {
      if (!specifier.startsWith('.')) continue
      const target = targetOf(file, specifier)
      const targetPart = partOf(target)
      if (targetPart === part) continue
      const isAllowed = arrows[part]?.includes(targetPart) ?? false
      const isDoor = doorsOf(targetPart).includes(target)
      if (!isAllowed || !isDoor) crossings.push(`${file} imports ${specifier}`)
    }
  }
  assert.deepEqual(crossings, [])
})

/** Threads outside the store, and the process of a runner. */
const OTHER_THREADS = [
  'src/alerts/preview/judge-worker.ts',
  'src/connectors/database/thread/database-thread.ts',
  'src/derivation/evaluate/evaluation-worker.ts',
  'src/intake/json/json-samples-worker.ts',
  'src/prometheus/run/query-worker.ts',
  'src/sql/compile-worker.ts',
  'src/sql/run/runner-main.ts',
].map(normalize)

test('threads and runners load no settings, no log and no schemas', () => {
  const threads = sources.filter(
    (file) =>
      file.startsWith('src/store/') && /\bparentPort\b|\bworkerData\b/.test(importLines(file)),
  )
  assert.ok(threads.length >= 6, `${threads}`)
  for (const file of OTHER_THREADS) assert.ok(sources.includes(file), file)
  const reached = new Set([...threads, ...OTHER_THREADS])
  for (const file of reached) {
    for (const specifier of loadsOf(file)) {
      if (specifier.startsWith('.')) reached.add(targetOf(file, specifier))
    }
  }
  const heavy = [...reached].filter((file) => file === join('src', 'base', 'index.ts'))
  assert.deepEqual(heavy, [], 'base/plain.ts is the door for what threads load')
})

test('pieces of the composition root take nothing from the root itself', () => {
  const upward = sources
    .filter((file) => partOf(file) === 'assembly')
    .flatMap((file) =>
      importsOf(file)
        .filter((specifier) => specifier.startsWith('.'))
        .filter((specifier) => partOf(targetOf(file, specifier)).endsWith('.ts'))
        .map((specifier) => `${file} imports ${specifier}`),
    )
  assert.deepEqual(upward, [])
})

test('folders of the stores import only what their table allows', () => {
  for (const [engine, allowed] of [
    ['embedded', embeddedArrows],
    ['cassandra', cassandraArrows],
    ['postgres', postgresArrows],
  ] as const) {
    const root = join('src', 'store', engine)
    const folderOf = (file: string): string => file.split(sep)[3]
    const crossings = sources
      .filter((file) => file.startsWith(root + sep) && !folderOf(file).endsWith('.ts'))
      .flatMap((file) =>
        importsOf(file)
          .filter((specifier) => specifier.startsWith('.'))
          .map((specifier) => targetOf(file, specifier))
          .filter((target) => target.startsWith(root) && folderOf(target) !== folderOf(file))
          .filter((target) => !allowed[folderOf(file)]?.includes(folderOf(target)))
          .map((target) => `${file} imports ${target}`),
      )
    assert.deepEqual(crossings, [])
  }
})

/** Chains of imports among some files that lead back to where they began. */
function cyclesAmong(files: readonly string[]): string[] {
  const graph = new Map(
    files.map((file) => [
      file,
      importsOf(file)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => targetOf(file, specifier)),
    ]),
  )
  const done = new Set<string>()
  const cycles: string[] = []
  const visit = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file)
    if (at >= 0) cycles.push([...path.slice(at), file].join(' → '))
    if (at >= 0 || done.has(file)) return
    for (const next of graph.get(file) ?? []) visit(next, [...path, file])
    done.add(file)
  }
  for (const file of files) visit(file, [])
  return cycles
}

test('no file of the service or the studio imports itself through a cycle of files', () => {
  assert.deepEqual(cyclesAmong(sources), [])
  const studio = globSync(['studio/src/**/*.ts', 'studio/src/**/*.tsx'])
  assert.ok(studio.length > 30)
  assert.deepEqual(cyclesAmong(studio), [])
})

test('outside things are imported only where they belong', () => {
  const places: Record<string, RegExp> = {
    'node:sqlite': /^src\/(?:store\/embedded|sql\/run)\//,
    '@fastify/ajv-compiler': /^src\/http\/table\//,
    '@prometheus-io/lezer-promql': /^src\/promql\/syntax\//,
    '@lezer/common': /^src\/promql\/syntax\//,
    chevrotain: /^src\/(?:expression|sql)\//,
    re2js: /^src\/prometheus\/run\//,
    pino: /^src\/base\/log\.ts$/,
    'cassandra-driver': /^src\/store\/cassandra\/connection\//,
    pg: /^src\/(?:connectors\/database\/postgresql|store\/postgres\/connection)\//,
    nodemailer: /^src\/alerts\/delivery\//,
    mysql2: /^src\/connectors\/database\/mysql\//,
    tedious: /^src\/connectors\/database\/sqlserver\//,
    '@zxcvbn-ts/language-common': /^src\/auth\/proof\/common-passwords\.ts$/,
  }
  const misplaced = sources.flatMap((file) =>
    importsOf(file)
      .filter((specifier) => places[specifier] !== undefined && !places[specifier].test(file))
      .map((specifier) => `${file} imports ${specifier}`),
  )
  assert.deepEqual(misplaced, [])
})

test('the studio takes nothing from the service but generated types, uPlot only in chart, CodeMirror only in ui/editor', () => {
  const files = globSync(['studio/src/**/*.ts', 'studio/src/**/*.tsx'])
  assert.ok(files.length > 30)
  const crossings = files.flatMap((file) =>
    importsOf(file)
      .filter((specifier) => {
        if (specifier.startsWith('.')) return !targetOf(file, specifier).startsWith('studio/src/')
        if (/^@(?:codemirror|lezer)\//.test(specifier)) {
          return !file.startsWith('studio/src/ui/editor/')
        }
        return specifier.startsWith('uplot') && !file.startsWith('studio/src/chart/')
      })
      .map((specifier) => `${file} imports ${specifier}`),
  )
  assert.deepEqual(crossings, [])
  const upward = files
    .filter((file) => /^studio\/src\/(?:ui|api|style)\//.test(file))
    .flatMap((file) =>
      importsOf(file)
        .filter((specifier) => /\/(?:app|pages)\//.test(specifier))
        .map((specifier) => `${file} imports ${specifier}`),
    )
  assert.deepEqual(upward, [])
})
