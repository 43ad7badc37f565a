import { RE2JS } from 're2js'
import type { TextPattern } from '../../promql/index.ts'

/** The longest pattern, in characters. Its compiled form takes some hundred bytes for each. */
const PATTERN_LENGTH_MAX = 16_384

/** Largest compiled form. RE2 repeats at most 1,000 times, but repeats nest. */
const PROGRAM_SIZE_MAX = 100_000

/** Compiles a pattern by RE2's rules: matching takes time linear in the text. */
export function compileRe2Pattern(pattern: string): TextPattern {
  if (pattern.length > PATTERN_LENGTH_MAX) {
    throw new Error(`regular expression has more than ${PATTERN_LENGTH_MAX} characters`)
  }
  const compiled = RE2JS.compile(pattern, RE2JS.DOTALL)
  if (compiled.programSize() > PROGRAM_SIZE_MAX) throw new Error('regular expression is too large')
  return {
    matches: (text) => compiled.testExact(text),
    groups: (text) => groupsOf(compiled, text),
    groupNames: namesOf(compiled),
  }
}

function groupsOf(compiled: RE2JS, text: string): (string | undefined)[] | undefined {
  const matcher = compiled.matcher(text)
  if (!matcher.matches()) return undefined
  return Array.from(
    { length: compiled.groupCount() + 1 },
    (_, at) => matcher.group(at) ?? undefined,
  )
}

function namesOf(compiled: RE2JS): string[] {
  const names = new Array<string>(compiled.groupCount() + 1).fill('')
  for (const [name, at] of Object.entries(compiled.namedGroups())) names[at] = name
  return names
}
