import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { sentencesOf, wordsIn } from '../support/prose.ts'

const WORDS_MAX = 35
const LIST = 'test/tidy/banned-words.txt'

const pages = globSync(['*.md', 'docs/**/*.md', '{src,studio,test}/**/README.md']).sort()

/** The rules of the list: a pattern between words, and what to write instead. */
const rules = readFileSync(LIST, 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [pattern, advice = ''] = line.split(' → ')
    return { pattern: new RegExp(`(?<![\\w-])(?:${pattern})(?![\\w-])`, 'iu'), advice }
  })

function bannedIn(text: string): string[] {
  return rules.flatMap(({ pattern, advice }) => {
    const found = pattern.exec(text)?.[0]
    return found === undefined ? [] : [`"${found}": ${advice}`]
  })
}

test('the list of banned words has advice for each, and matches what it names', () => {
  assert.ok(rules.length > 10)
  assert.deepEqual(
    rules.filter(({ advice }) => advice === ''),
    [],
  )
  assert.deepEqual(bannedIn('Roll back, then mend the fleet-wide lane.').length, 2)
})

test('sentencesOf() separates paragraphs, list items, and cells, and counts code as a word', () => {
  const page =
    '# A title\n\nOne `x y z` [link text](a.md).\nTwo e.g. three. Four\nfive!\n\n- item\n| a | b c. D |\n\n```sh\nnot this\n```\n'
  assert.deepEqual(sentencesOf(page), [
    { line: 1, text: '# A title' },
    { line: 3, text: 'One Code link text.' },
    { line: 4, text: 'Two e.g. three.' },
    { line: 4, text: 'Four five!' },
    { line: 7, text: '- item' },
    { line: 8, text: 'a' },
    { line: 8, text: 'b c.' },
    { line: 8, text: 'D' },
  ])
  assert.equal(wordsIn('- Four – five, 6 of code.'), 5)
})

test(`no sentence of the documentation has more than ${WORDS_MAX} words`, () => {
  const long = pages.flatMap((page) =>
    sentencesOf(readFileSync(page, 'utf8'))
      .filter(({ text }) => wordsIn(text) > WORDS_MAX)
      .map(({ line, text }) => `${page}:${line} (${wordsIn(text)} words): ${text.slice(0, 60)}…`),
  )
  assert.deepEqual(long, [])
})

test(`no page of the documentation has a word of ${LIST}`, () => {
  const found = pages.flatMap((page) =>
    sentencesOf(readFileSync(page, 'utf8')).flatMap(({ line, text }) =>
      bannedIn(text).map((word) => `${page}:${line} ${word}`),
    ),
  )
  assert.deepEqual(found, [])
})
