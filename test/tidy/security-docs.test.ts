import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

test('docs/security.md names a test that exists for every rule of RFC 9700', () => {
  const page = readFileSync('docs/security.md', 'utf8')
  const table = page.slice(page.indexOf('## RFC 9700'), page.indexOf('## The authorization page'))
  const named = table
    .split('\n')
    .filter((line) => /^\| \d/.test(line))
    .map((line) => line.split(' | ').at(-1)?.replace(/ \|$/, '') ?? '')
  assert.ok(named.length > 20)
  const sources = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'])
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')
  assert.deepEqual(
    named.filter((name) => !sources.includes(`test('${name}'`) && !sources.includes(`'${name}',`)),
    [],
  )
})
