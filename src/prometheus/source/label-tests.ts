/** What the matchers of a selector accept, as the label index asks it. */
import type { LabelMatcher } from '../../catalog/index.ts'
import type { SeriesMatcher } from '../../promql/plain.ts'
import type { TestTexts } from '../run/query-thread.ts'

/** The matchers for the label index. Regular expressions are tested in the thread of the query. */
export async function labelMatchers(
  matchers: readonly SeriesMatcher[],
  testTexts: TestTexts,
): Promise<LabelMatcher[]> {
  const made: LabelMatcher[] = []
  for (const matcher of matchers) {
    const { operation } = matcher
    if (operation === '=' || operation === '!=') made.push(textMatcher(matcher))
    else made.push(await patternMatcher(matcher, testTexts))
  }
  return made
}

function textMatcher({ name, operation, value }: SeriesMatcher): LabelMatcher {
  const isNegative = operation === '!='
  return {
    name,
    texts: isNegative ? undefined : [value],
    acceptsAbsent: (value === '') !== isNegative,
    accept: (texts) => Uint8Array.from(texts, (text) => Number((text === value) !== isNegative)),
  }
}

async function patternMatcher(
  { name, operation, value }: SeriesMatcher,
  testTexts: TestTexts,
): Promise<LabelMatcher> {
  const isNegative = operation === '!~'
  const literals = literalTexts(value)
  const test = testOf(value, literals, testTexts)
  const [absent] = await test([''])
  return {
    name,
    texts: isNegative ? undefined : literals,
    acceptsAbsent: (absent === 1) !== isNegative,
    accept: isNegative ? async (texts) => (await test(texts)).map((is) => 1 - is) : test,
  }
}

function testOf(
  pattern: string,
  literals: readonly string[] | undefined,
  testTexts: TestTexts,
): (texts: readonly string[]) => Promise<Uint8Array> {
  if (literals !== undefined) {
    const known = new Set(literals)
    return async (texts) => Uint8Array.from(texts, (text) => Number(known.has(text)))
  }
  if (pattern === '.*') return async (texts) => new Uint8Array(texts.length).fill(1)
  if (pattern === '.+')
    return async (texts) => Uint8Array.from(texts, (text) => Number(text !== ''))
  return (texts) => testTexts(pattern, texts)
}

/** The texts of a pattern such as `a|b\.c`, which lists of dashboards become; undefined for any other pattern. */
function literalTexts(pattern: string): string[] | undefined {
  const texts = ['']
  for (let at = 0; at < pattern.length; at++) {
    let character = pattern[at]
    if (character === '|') {
      texts.push('')
      continue
    }
    if (character === '\\') {
      at += 1
      character = pattern[at] ?? ''
      if (!/^[!-/:-@[-`{-~]$/.test(character)) return undefined
    } else if (/[.+*?()[\]{}^$]/.test(character)) {
      return undefined
    }
    texts[texts.length - 1] += character
  }
  return texts
}
