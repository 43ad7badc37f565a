import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

/** Reads of a page that answer at once, whatever is on its way. */
const AT_ONCE = /\.(?:count|allInnerTexts|allTextContents|isVisible|isHidden|boundingBox|url)\(\)/
/** What repeats a read until it is as expected. */
const WAITING = /\b(?:eventually|settlesTo|settlesLike|shows)\(/
const BLOCK = /\bawait eventually\(async \(\) => \{\n[\s\S]*?\n {2,}\}\)/g

const readsPages = (text: string) =>
  /from 'playwright-core'|support\/(?:studio|oauth-page)\.ts'/.test(text)

test('tests of pages assert nothing that they have not waited for', () => {
  const found: string[] = []
  for (const file of globSync('test/**/*.test.ts').sort()) {
    const text = readFileSync(file, 'utf8')
    if (!readsPages(text)) continue
    for (const statement of text
      .replaceAll(BLOCK, '')
      .split(/\n(?=\s*(?:await|assert|const|let)\b)/))
      if (/^\s*assert\b/.test(statement) && AT_ONCE.test(statement) && !WAITING.test(statement))
        found.push(`${file}: ${statement.trim().split('\n')[0]}`)
  }
  assert.deepEqual(found, [], 'test/support/settle.ts has reads that wait')
})

test('no test lets a page wait by itself, which the policy of our pages stops at the second look', () => {
  const found = globSync('test/**/*.test.ts').filter(
    (file) =>
      !file.endsWith('waiting.test.ts') && readFileSync(file, 'utf8').includes('.waitForFunction('),
  )
  assert.deepEqual(found, [], 'settlesTo(() => page.evaluate(…), …) looks from outside')
})

test('no test sets aside complaints of a page by words of its own', () => {
  const found = globSync('test/**/*.test.ts').filter((file) =>
    /\bcomplaints\.(?:filter|every)\(/.test(readFileSync(file, 'utf8')),
  )
  assert.deepEqual(found, [], 'complaintsOtherThan() of test/support/studio.ts names statuses')
})
