import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type Sentence, sentencesOf, wordsIn } from '../support/prose.ts'
import { sourceProseOf } from '../support/source-prose.ts'

const WORDS_MAX = 35
const LIST = 'test/tidy/banned-words.txt'

/** Sources that have to name banned words: as examples, and as tables of an old format. */
const NAMING_THEM = [
  'test/tidy/words.test.ts',
  'src/store/embedded/catalog/upgrade/upgrade-format-9.ts',
]

const pages = globSync(['*.md', 'docs/**/*.md', '{src,studio,test}/**/README.md'])
  .sort()
  .map((file) => ({ file, sentences: sentencesOf(readFileSync(file, 'utf8')) }))

const sources = globSync('{src,studio/src,test,bench,tools}/**/*.{ts,tsx}')
  .filter((file) => !NAMING_THEM.includes(file) && !file.includes('/generated/'))
  .sort()
  .map((file) => ({ file, ...sourceProseOf(readFileSync(file, 'utf8')) }))

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

test('sourceProseOf() joins line comments, leaves out examples, and reads texts of several words', () => {
  const code = `// One
// two. Three

/**
 * Four.
 *
 *     npm start
 */
f('one-word', 'now five words here', "mend")
`
  assert.deepEqual(sourceProseOf(code), {
    comments: [
      { line: 1, text: 'One two.' },
      { line: 2, text: 'Three' },
      { line: 5, text: 'Four.' },
    ],
    texts: [{ line: 9, text: 'now five words here' }],
  })
})

function longIn(file: string, sentences: readonly Sentence[]): string[] {
  return sentences
    .filter(({ text }) => wordsIn(text) > WORDS_MAX)
    .map(({ line, text }) => `${file}:${line} (${wordsIn(text)} words): ${text.slice(0, 60)}…`)
}

function bannedAt(file: string, sentences: readonly Sentence[]): string[] {
  return sentences.flatMap(({ line, text }) =>
    bannedIn(text).map((word) => `${file}:${line} ${word}`),
  )
}

test(`no sentence of the documentation or of a comment has more than ${WORDS_MAX} words`, () => {
  assert.deepEqual(
    [
      ...pages.flatMap(({ file, sentences }) => longIn(file, sentences)),
      ...sources.flatMap(({ file, comments }) => longIn(file, comments)),
    ],
    [],
  )
})

test(`no page, comment, message, or test name has a word of ${LIST}`, () => {
  assert.ok(sources.length > 1000)
  assert.deepEqual(
    [
      ...pages.flatMap(({ file, sentences }) => bannedAt(file, sentences)),
      ...sources.flatMap(({ file, comments, texts }) => bannedAt(file, [...comments, ...texts])),
    ],
    [],
  )
})
