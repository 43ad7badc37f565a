import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { test } from 'node:test'

interface Module {
  /** Names that the file makes and exports. */
  readonly own: ReadonlySet<string>
  /** Names that it passes on, by the file that they come from. */
  readonly passed: ReadonlyMap<string, { readonly from: string; readonly name: string }>
  /** Files of which it passes on everything. */
  readonly passedWhole: readonly string[]
}

interface Use {
  readonly file: string
  readonly name: string
}

const files = globSync(['src/**/*.ts', 'test/**/*.ts', 'bench/**/*.ts', 'tools/**/*.ts'])
const texts = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]))

/** Names between braces, `type` and `as` taken apart: what is taken, and what it is called then. */
function namesOf(list: string): Array<[string, string]> {
  return list
    .split(',')
    .map((item) => item.trim().replace(/^type\s+/, ''))
    .filter((item) => item !== '')
    .map((item) => {
      const [name, alias = name] = item.split(/\s+as\s+/)
      return [name, alias]
    })
}

function targetOf(file: string, specifier: string): string {
  return normalize(join(dirname(file), specifier))
}

function readModule(file: string): Module {
  const text = texts.get(file) ?? ''
  const own = new Set<string>()
  const declared =
    /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|const|let|interface|type|enum) (\w+)/gm
  for (const [, name] of text.matchAll(declared)) own.add(name)
  for (const [, list] of text.matchAll(/^export (?:type )?\{([^}]*)\}(?!\s*from)/gm)) {
    for (const [, name] of namesOf(list)) own.add(name)
  }
  const passed = new Map<string, { from: string; name: string }>()
  for (const [, list, specifier] of text.matchAll(
    /^export (?:type )?\{([^}]*)\}\s*from '(\.[^']+)'/gm,
  )) {
    for (const [name, alias] of namesOf(list)) {
      passed.set(alias, { from: targetOf(file, specifier), name })
    }
  }
  const whole = [...text.matchAll(/^export \* from '(\.[^']+)'/gm)]
  return { own, passed, passedWhole: whole.map(([, specifier]) => targetOf(file, specifier)) }
}

const modules = new Map(files.map((file) => [file, readModule(file)]))

function usesOf(file: string): Use[] {
  const text = texts.get(file) ?? ''
  const uses: Use[] = []
  const statements = /^import (?:type )?\{([^}]*)\}\s*from '(\.[^']+)'/gm
  for (const [, list, specifier] of text.matchAll(statements)) {
    for (const [name] of namesOf(list)) uses.push({ file: targetOf(file, specifier), name })
  }
  // What is imported whole, or when it is needed, may be used for any of its names.
  const wholes = /(?:^import \* as \w+ from |\bimport\(\s*)'(\.[^']+)'/gm
  for (const [, specifier] of text.matchAll(wholes)) {
    const target = targetOf(file, specifier)
    const { own = [], passed } = modules.get(target) ?? {}
    for (const name of [...own, ...(passed?.keys() ?? [])]) uses.push({ file: target, name })
  }
  return uses
}

/** Every export that someone imports, with those that stand behind the doors it came through. */
function findUsed(): Set<string> {
  const used = new Set<string>()
  const note = ({ file, name }: Use): void => {
    const key = `${file} ${name}`
    if (used.has(key)) return
    used.add(key)
    const module = modules.get(file)
    const source = module?.passed.get(name)
    if (source !== undefined) note({ file: source.from, name: source.name })
    for (const from of module?.passedWhole ?? []) note({ file: from, name })
  }
  for (const file of files) for (const use of usesOf(file)) note(use)
  return used
}

test('every export under src, at a door too, is imported by another file', () => {
  const used = findUsed()
  const unused = [...modules]
    .filter(([file]) => file.startsWith('src') && !file.endsWith('.test.ts'))
    .flatMap(([file, { own, passed }]) =>
      [...own, ...passed.keys()]
        .filter((name) => !used.has(`${file} ${name}`))
        .map((name) => `${file} exports ${name}`),
    )
  assert.deepEqual(unused, [])
})

/** Where others come into a part; plain.ts is for threads. */
const DOORS = ['index.ts', 'plain.ts']

test('every name exported under src, and every file, is there once', () => {
  const places = new Map<string, string[]>()
  for (const [file, { own }] of modules) {
    if (!file.startsWith('src') || file.endsWith('.test.ts')) continue
    for (const name of own) places.set(name, [...(places.get(name) ?? []), file])
    const base = basename(file)
    if (!DOORS.includes(base)) places.set(base, [...(places.get(base) ?? []), file])
  }
  assert.deepEqual(
    [...places].filter(([, found]) => found.length > 1),
    [],
  )
})
