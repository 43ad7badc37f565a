import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'

const PAGE = 'docs/security.md'
const page = readFileSync(PAGE, 'utf8')

/** The text of a section, from its heading to the next of the same level. */
function sectionOf(heading: string): string {
  const from = page.indexOf(`## ${heading}`)
  assert.ok(from >= 0, `no section "${heading}"`)
  const until = page.indexOf('\n## ', from)
  return page.slice(from, until < 0 ? undefined : until)
}

/** The rows of the tables of a section whose first cell begins with a number. */
function rowsOf(heading: string): string[][] {
  return sectionOf(heading)
    .split('\n')
    .filter((line) => /^\| \d/.test(line))
    .map((line) => line.replace(/^\| | \|$/g, '').split(' | '))
}

function hasTest(source: string, name: string): boolean {
  const quotes = ["'", '"', '`']
  return quotes.some(
    (quote) =>
      source.includes(`test(${quote}${name}${quote}`) ||
      source.includes(`${quote}${name}${quote},`),
  )
}

test('docs/security.md names a test that exists for every rule of RFC 9700', () => {
  const named = rowsOf('RFC 9700').map((cells) => cells.at(-1) ?? '')
  assert.ok(named.length > 20)
  const sources = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'])
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')
  assert.deepEqual(
    named.filter((name) => !hasTest(sources, name)),
    [],
  )
})

/** How many requirements of levels 1 and 2 each section of ASVS 5.0.0 has; they come first in all. */
const ASVS: Readonly<Record<string, number>> = {
  '1.1': 2,
  '1.2': 9,
  '1.3': 11,
  '1.4': 3,
  '1.5': 2,
  '2.1': 3,
  '2.2': 3,
  '2.3': 4,
  '2.4': 1,
  '3.2': 2,
  '3.3': 4,
  '3.4': 6,
  '3.5': 5,
  '3.7': 2,
  '4.1': 3,
  '4.2': 1,
  '4.3': 2,
  '4.4': 4,
  '5.1': 1,
  '5.2': 3,
  '5.3': 2,
  '5.4': 3,
  '6.1': 3,
  '6.2': 12,
  '6.3': 4,
  '6.4': 4,
  '6.5': 5,
  '6.6': 3,
  '6.8': 4,
  '7.1': 3,
  '7.2': 4,
  '7.3': 2,
  '7.4': 5,
  '7.5': 2,
  '7.6': 2,
  '8.1': 2,
  '8.2': 3,
  '8.3': 1,
  '8.4': 1,
  '9.1': 3,
  '9.2': 4,
  '10.1': 2,
  '10.2': 2,
  '10.3': 4,
  '10.4': 11,
  '10.5': 5,
  '10.6': 2,
  '10.7': 3,
  '11.1': 2,
  '11.2': 3,
  '11.3': 3,
  '11.4': 4,
  '11.5': 1,
  '11.6': 1,
  '12.1': 3,
  '12.2': 2,
  '12.3': 4,
  '13.1': 1,
  '13.2': 5,
  '13.3': 2,
  '13.4': 5,
  '14.1': 2,
  '14.2': 4,
  '14.3': 3,
  '15.1': 3,
  '15.2': 3,
  '15.3': 7,
  '16.1': 1,
  '16.2': 5,
  '16.3': 4,
  '16.4': 3,
  '16.5': 3,
  '17.1': 1,
  '17.2': 4,
  '17.3': 2,
}

test('docs/security.md answers every requirement of ASVS 5.0, levels 1 and 2, once', () => {
  const expected = Object.entries(ASVS).flatMap(([section, count]) =>
    Array.from({ length: count }, (_, at) => `${section}.${at + 1}`),
  )
  assert.equal(expected.length, 253)
  const rows = rowsOf('ASVS 5.0')
  const answered = rows.flatMap(([numbers = '']) => numbers.split(', '))
  assert.deepEqual(answered.toSorted(), expected.toSorted())
  const levels = rows.filter((cells) => cells.length > 2).map(([, level]) => level)
  assert.deepEqual([...new Set(levels)].sort(), ['1', '2'])
})

test('docs/security.md names tests and sections that exist for ASVS 5.0, or says what is not met', () => {
  const rows = rowsOf('ASVS 5.0').filter((cells) => cells.length > 2)
  assert.ok(rows.length > 150)
  const mistakes = rows.flatMap(([number = '', , , shown = '']) =>
    shown
      .split(' · ')
      .map((item) => mistakeIn(item))
      .filter((mistake) => mistake !== undefined)
      .map((mistake) => `${number}: ${mistake}`),
  )
  assert.deepEqual(mistakes, [])
})

/** What is wrong with one item of the last column. */
function mistakeIn(item: string): string | undefined {
  const [, file, name] = /^`([^`]+\.test\.ts)`: (.+)$/.exec(item) ?? []
  if (file !== undefined && name !== undefined) {
    if (!existsSync(file)) return `there is no ${file}`
    return hasTest(readFileSync(file, 'utf8'), name) ? undefined : `${file} has no test "${name}"`
  }
  const links = [...item.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target)
  const dead = links.filter((target) => !leadsSomewhere(target))
  if (dead.length > 0) return `${dead.join(', ')} leads nowhere`
  if (/^see /.test(item)) return links.length > 0 ? undefined : `"${item}" names no section`
  return /^(?:in part|not met|by design): \S/.test(item) ? undefined : `"${item}" says nothing`
}

function leadsSomewhere(target: string): boolean {
  const [path = '', anchor] = target.split('#')
  const file = path === '' ? PAGE : join(dirname(PAGE), path)
  if (!existsSync(file)) return false
  if (anchor === undefined) return true
  const headings = [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, text = '']) =>
    text
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
  return headings.includes(anchor)
}
