import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const SOURCE_LINES_MAX = 600
const TEST_LINES_MAX = 800
const FUNCTION_LINES_MAX = 80
/** A component that is longer is two. */
const COMPONENT_LINES_MAX = 400

/** A file or function may be longer when its first comment contains this word and a reason. */
const reason = /\bLong: \S+ \S+/

/** Literals spread into a literal only save lines: `a, b` says the same. */
const packed = /\.\.\.\{ *[\w'"`[]|^ *\.\.\.\[[^[\]]*\],$/

const banned = /\bFIXME\b|\bXXX\b|TODO(?!\(#\d+\))|@ts-ignore|@ts-expect-error|\bas any\b|: any\b/

const all = globSync(['src/**/*.ts', 'test/**/*.ts', 'bench/**/*.ts', 'tools/**/*.ts'])
const studio = globSync(['studio/src/**/*.ts', 'studio/src/**/*.tsx']).filter(
  (file) => !file.includes('/generated/'),
)

function firstComment(text: string): string {
  return /^\s*(?:\/\*\*[\s\S]*?\*\/|(?:\/\/.*\n)+)/.exec(text)?.[0] ?? ''
}

function longFiles(files: readonly string[], linesMax: (file: string) => number) {
  return files
    .map((file) => ({ file, text: readFileSync(file, 'utf8') }))
    .filter(({ text }) => !reason.test(firstComment(text)))
    .map(({ file, text }) => ({ file, lines: text.split('\n').length - 1 }))
    .filter(({ file, lines }) => lines > linesMax(file))
}

test('files stay short enough to be read at once, or say why they are longer', () => {
  const long = longFiles(all, (file) =>
    file.endsWith('.test.ts') ? TEST_LINES_MAX : SOURCE_LINES_MAX,
  )
  assert.deepEqual(long, [])
})

test('no literal is spread into a literal to save lines', () => {
  const found = [...all, ...studio].flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .map((line, index) => ({ line, at: `${file}:${index + 1}` }))
      .filter(({ line }) => packed.test(line))
      .map(({ at }) => at),
  )
  assert.deepEqual(found, [])
})

test('files of the studio stay short, and have no left-overs', () => {
  assert.ok(studio.length > 30)
  const long = longFiles(studio, (file) =>
    file.endsWith('.tsx') ? COMPONENT_LINES_MAX : SOURCE_LINES_MAX,
  )
  assert.deepEqual(long, [])
  assert.deepEqual(
    studio.filter((file) => banned.test(readFileSync(file, 'utf8'))),
    [],
  )
})

test(`functions under src have at most ${FUNCTION_LINES_MAX} lines, or say why they are longer`, () => {
  const long: string[] = []
  for (const file of all.filter((name) => name.startsWith('src') && !name.endsWith('.test.ts'))) {
    const lines = readFileSync(file, 'utf8').split('\n')
    lines.forEach((line, index) => {
      // Biome's format makes the end of a function the first line with the same indent and a brace.
      const start =
        /^( *)(?:export )?(?:async )?(?:function\b|(?:static |async |private |#)*[\w#]+\([^)]*\).*\{$)/.exec(
          line,
        )
      const comment = lines.slice(0, index).join('\n').split(/\n\n/).at(-1) ?? ''
      if (reason.test(comment)) return
      if (start === null || /^ *(?:if|for|while|switch|return|else|catch)\b/.test(line)) return
      const end = lines.findIndex((other, at) => at > index && other.startsWith(`${start[1]}}`))
      if (end - index + 1 > FUNCTION_LINES_MAX)
        long.push(`${file}:${index + 1} has ${end - index + 1} lines`)
    })
  }
  assert.deepEqual(long, [])
})

test('no left-overs and no switched-off types in the sources', () => {
  const found = all
    .filter((file) => file.startsWith('src'))
    .flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .map((line, index) => ({ line, at: `${file}:${index + 1}` }))
        .filter(({ line }) => banned.test(line))
        .map(({ at }) => at),
    )
  assert.deepEqual(found, [])
})
