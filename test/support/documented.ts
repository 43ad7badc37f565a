import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'

/** A code block of a page, below a heading; `at` counts those of the language. */
export function readDocumented(
  page: string,
  { heading, language, at = 0 }: { heading: string; language: string; at?: number },
): string {
  const text = readFileSync(page, 'utf8')
  const chapter = text.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  const blocks = [...chapter.matchAll(/```(\w+)\n(.*?)```/gs)]
  const block = blocks.filter(([, tag]) => tag === language)[at]
  assert.ok(block, `${page} has no ${language} block ${at} below "${heading}"`)
  return block[2]
}
