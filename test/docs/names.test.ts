/** What README.md and docs/ name is there: calls, settings, pages and their sections. */
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { serviceOfFile } from '../support/service-of-file.ts'

const pages = globSync(['*.md', 'docs/**/*.md'])
  .filter((page) => page !== 'CHANGELOG.md')
  .sort()
const textOf = (page: string) => readFileSync(page, 'utf8')

const service = serviceOfFile()

/** Everything that a page says about a call, as `METHOD /path`. */
function callsIn(page: string): string[] {
  const spans = textOf(page).matchAll(/`(?<methods>[A-Z]+(?:, [A-Z]+)*) (?<path>\/[^`\s?#]+)/g)
  return [...spans].flatMap(({ groups }) =>
    (groups?.methods ?? '').split(', ').map((method) => `${method} ${groups?.path}`),
  )
}

test('every call that is named is an operation', () => {
  const { paths } = service.app.server.describe() as { paths: Record<string, object> }
  const known = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`.split('/')),
  )
  const isKnown = (call: string) => {
    const given = call.replace(/\/$/, '').split('/')
    return known.some(
      (parts) =>
        parts.length === given.length &&
        // {uid} stands for what has another name here, and <noun> for every resource.
        parts.every((part, at) => part === given[at] || /^[{<]/.test(given[at] ?? '')),
    )
  }
  const all = pages.flatMap((page) => callsIn(page).map((call) => ({ page, call })))
  assert.ok(all.length > 20, `${all.length} calls`)
  assert.deepEqual(
    all.filter(({ call }) => !isKnown(call)),
    [],
  )
})

test('every setting that is named is one, and every one is named', () => {
  const source = readFileSync('src/base/settings/config.ts', 'utf8')
  const known = new Set([...source.matchAll(/name: '(WEIR_\w+)'/g)].map(([, name]) => name))
  // Not settings of the service: a setting's form in words, and those of tests and examples.
  const others = [
    'WEIR_CONFIG',
    'WEIR_KEY',
    'WEIR_NAME',
    'WEIR_TEST_SCREENSHOTS',
    'WEIR_TEST_CASSANDRA',
    'WEIR_TEST_LAG',
    'WEIR_TEST_SEED',
    'WEIR_TEST_PACKAGE',
    // Where the demonstration and the studio's development server find a service.
    'WEIR_URL',
    'WEIR_EMAIL',
    'WEIR_PASSWORD',
    'WEIR_GRAFANA_KEY',
  ]
  const named = new Set(pages.flatMap((page) => textOf(page).match(/\bWEIR_[A-Z][A-Z_]*\b/g) ?? []))
  assert.deepEqual(
    [...named].filter((name) => !known.has(name) && !others.includes(name)).sort(),
    [],
  )
  const documented = new Set(textOf('docs/configuration.md').match(/\bWEIR_[A-Z_]+\b/g))
  assert.deepEqual([...known].filter((name) => !documented.has(name)).sort(), [])
})

/** The anchors of a page, as they are made of its headings. */
function anchorsOf(page: string): Set<string> {
  const headings = textOf(page).matchAll(/^#+ (.+)$/gm)
  return new Set(
    [...headings].map(([, heading]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )
}

test('every link leads to a page and a section that are there', () => {
  const broken: string[] = []
  for (const page of pages) {
    for (const [, target] of textOf(page).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)) {
      const [path, anchor] = target.split('#')
      const file = path === '' ? page : join(dirname(page), path)
      const isThere = existsSync(file) && (anchor === undefined || anchorsOf(file).has(anchor))
      if (!isThere) broken.push(`${page}: ${target}`)
    }
  }
  assert.deepEqual(broken, [])
})
