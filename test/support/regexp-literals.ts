/** A regular expression as it stands in a source file. */
export interface RegexpLiteral {
  readonly source: string
  readonly flags: string
  readonly line: number
}

/** Behind these words a slash begins a pattern; behind any other word it divides. */
const WORDS_BEFORE_PATTERN = new Set(
  'return typeof case in of do else void delete throw new await yield instanceof'.split(' '),
)

/**
 * Every regular expression literal of a TypeScript source, in order. Comments, strings and the texts
 * of templates are passed over; what stands in a template's braces is read like other code.
 */
export function findRegexpLiterals(code: string): RegexpLiteral[] {
  const found: RegexpLiteral[] = []
  // One entry for each open brace: whether it belongs to a template.
  const braces: boolean[] = []
  let before = ''
  let at = 0
  while (at < code.length) {
    const rest = code.slice(at, at + 2)
    if (rest === '//') at = endOf(code, at, '\n')
    else if (rest === '/*') at = endOf(code, at, '*/')
    else if (/\s/.test(code[at])) at += 1
    else if (code[at] === "'" || code[at] === '"') {
      at = skipString(code, at)
      before = ')'
    } else if (code[at] === '`' || (code[at] === '}' && braces.at(-1) === true)) {
      if (code[at] === '}') braces.pop()
      const end = skipTemplate(code, at + 1)
      if (code[end - 1] === '{') braces.push(true)
      before = code[end - 1] === '{' ? '{' : ')'
      at = end
    } else if (code[at] === '/' && startsPattern(before)) {
      const end = skipPattern(code, at)
      const flags = /^[a-z]*/.exec(code.slice(end))?.[0] ?? ''
      const line = code.slice(0, at).split('\n').length
      found.push({ source: code.slice(at + 1, end - 1), flags, line })
      at = end + flags.length
      before = ')'
    } else {
      const word = /^[\w$#]+/.exec(code.slice(at, at + 200))?.[0] ?? code[at]
      if (word === '{') braces.push(false)
      if (word === '}') braces.pop()
      before = word
      at += word.length
    }
  }
  return found
}

function startsPattern(before: string): boolean {
  if (/^[\w$#]/.test(before)) return WORDS_BEFORE_PATTERN.has(before)
  return before !== ')' && before !== ']'
}

function endOf(code: string, at: number, mark: string): number {
  const end = code.indexOf(mark, at + 2)
  return end < 0 ? code.length : end + mark.length
}

function skipString(code: string, at: number): number {
  let end = at + 1
  while (end < code.length && code[end] !== code[at]) end += code[end] === '\\' ? 2 : 1
  return end + 1
}

/** The place behind a template's end, or behind the `${` that interrupts it. */
function skipTemplate(code: string, at: number): number {
  let end = at
  while (end < code.length && code[end] !== '`') {
    if (code[end] === '$' && code[end + 1] === '{') return end + 2
    end += code[end] === '\\' ? 2 : 1
  }
  return end + 1
}

/** The place behind the slash that ends a pattern. */
function skipPattern(code: string, at: number): number {
  let end = at + 1
  let isInClass = false
  while (end < code.length && (isInClass || code[end] !== '/')) {
    if (code[end] === '[') isInClass = true
    if (code[end] === ']') isInClass = false
    end += code[end] === '\\' ? 2 : 1
  }
  return end + 1
}
