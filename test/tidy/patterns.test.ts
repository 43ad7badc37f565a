// Alone: it sees the patterns that modules make when they are loaded.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { growthOf } from '../support/pattern-growth.ts'
import { tokensOf } from '../support/source-tokens.ts'

const sources = globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts'))

/** Where patterns are put together while running; the tests below look at the patterns themselves. */
const BUILDERS = ['src/base/redact.ts']

function growthOrError(source: string, flags: string): string | undefined {
  try {
    return growthOf(source, flags)
  } catch (error) {
    return (error as Error).message
  }
}

test('growthOf() finds patterns whose time grows faster than their text, and no others', () => {
  const check = (pattern: RegExp, isLinear: boolean) => {
    const growth = growthOf(pattern.source, pattern.flags)
    assert.equal(growth === undefined, isLinear, `${pattern}: ${growth}`)
  }
  check(/^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*$/, false)
  check(/^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*$/, true)
  check(/^bytes=\s*(\d*)\s*-\s*(\d*)\s*$/i, false)
  check(/^bytes=\s*(?:(\d+)\s*)?-\s*(?:(\d+)\s*)?$/i, true)
  check(/0+$/, false)
  check(/^0+/, true)
  check(/\s+/, true)
  check(/\s+x/, false)
  check(/^\s+x/, true)
  check(/(?:ab)+/g, true)
  check(/(?:ab)+c/g, false)
  check(/\B(?=(?:\d{3})+$)/g, false)
  check(/^(?:a*)*$/, false)
  check(/^(?:a|a)*$/, false)
  check(/^(?:a|ab)*(?:bc)*$/, true)
  check(/^(?:[ab]c?)*c*d$/, true)
  check(/^(?:[ab]c*)*c*d$/, false)
  check(/^(?:[^"\\]|\\.)*"$/, true)
  check(/"(?:[^"\\]|\\.)*"/, false)
  check(/^.*,\s*x/, true)
  check(/^.*\s+x/, false)
  check(/^\w{1,3}\w*$/, true)
  check(/^a{2,}a*b/, false)
  check(/^Max +(\d+)/m, true)
})

function patternsOf(code: string): { source: string; flags: string; line: number }[] {
  return tokensOf(code)
    .filter(({ kind }) => kind === 'pattern')
    .map(({ text, line }) => {
      const end = text.lastIndexOf('/')
      return { source: text.slice(1, end), flags: text.slice(end + 1), line }
    })
}

test('tokensOf() separates patterns from divisions, strings, and comments', () => {
  const code = [
    'const a = b / c / d // /no/',
    `const e = '/no/' + \`x/no/\${f(/one[/]/g) / 2}/no/\` /* /no/ */`,
    'return /two/.test(x[1] / 2 / y) ? { z: /three/i } : (4) / 5',
    "<p>Don't</p>; /four/u",
  ]
  const found = patternsOf(code.join('\n'))
  assert.deepEqual(
    found.map(({ source, flags, line }) => `${line} ${source} ${flags}`),
    ['2 one[/] g', '3 two ', '3 three i', '4 four u'],
  )
})

test('no pattern under src takes more than linear time, whatever the text', () => {
  const slow: string[] = []
  let count = 0
  for (const file of sources) {
    for (const { source, flags, line } of patternsOf(readFileSync(file, 'utf8'))) {
      count += 1
      const growth = growthOrError(source, flags)
      if (growth !== undefined) slow.push(`${file}:${line} /${source}/${flags}: ${growth}`)
    }
  }
  assert.ok(count > 50, `found ${count} patterns only`)
  assert.deepEqual(slow, [])
})

test('patterns are put together in named files only, and take linear time too', async () => {
  const builders = sources.filter((file) => /\bRegExp\(/.test(readFileSync(file, 'utf8')))
  assert.deepEqual(builders, BUILDERS)
  const original = globalThis.RegExp
  const built: [string, string][] = []
  globalThis.RegExp = new Proxy(original, {
    construct(target, [source, flags = '']: [string, string?]) {
      built.push([String(source), flags])
      return new target(source, flags)
    },
  })
  try {
    for (const file of BUILDERS) await import(`../../${file}`)
  } finally {
    globalThis.RegExp = original
  }
  assert.ok(built.length > 0)
  for (const [source, flags] of built) assert.equal(growthOrError(source, flags), undefined, source)
})
