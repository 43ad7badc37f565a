import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const SOURCE_LINES_MAX = 600
const TEST_LINES_MAX = 800
const FUNCTION_LINES_MAX = 80
/** A component that is longer is two. */
const COMPONENT_LINES_MAX = 400

const banned = /\bFIXME\b|\bXXX\b|TODO(?!\(#\d+\))|@ts-ignore|@ts-expect-error|\bas any\b|: any\b/

const all = globSync(['src/**/*.ts', 'test/**/*.ts', 'bench/**/*.ts', 'tools/**/*.ts'])
const studio = globSync(['studio/src/**/*.ts', 'studio/src/**/*.tsx']).filter(
  (file) => !file.includes('/generated/'),
)

test('files stay short enough to be read at once', () => {
  const long = all
    .map((file) => ({ file, lines: readFileSync(file, 'utf8').split('\n').length - 1 }))
    .filter(
      ({ file, lines }) => lines > (file.endsWith('.test.ts') ? TEST_LINES_MAX : SOURCE_LINES_MAX),
    )
  assert.deepEqual(long, [])
})

test('files of the studio stay short, and have no left-overs', () => {
  assert.ok(studio.length > 30)
  const long = studio
    .map((file) => ({ file, lines: readFileSync(file, 'utf8').split('\n').length - 1 }))
    .filter(
      ({ file, lines }) => lines > (file.endsWith('.tsx') ? COMPONENT_LINES_MAX : SOURCE_LINES_MAX),
    )
  assert.deepEqual(long, [])
  assert.deepEqual(
    studio.filter((file) => banned.test(readFileSync(file, 'utf8'))),
    [],
  )
})

test(`functions under src have at most ${FUNCTION_LINES_MAX} lines`, () => {
  const long: string[] = []
  for (const file of all.filter((name) => name.startsWith('src') && !name.endsWith('.test.ts'))) {
    const lines = readFileSync(file, 'utf8').split('\n')
    lines.forEach((line, index) => {
      // Biome's format makes the end of a function the first line with the same indent and a brace.
      const start =
        /^( *)(?:export )?(?:async )?(?:function\b|(?:static |async |private |#)*[\w#]+\([^)]*\).*\{$)/.exec(
          line,
        )
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
