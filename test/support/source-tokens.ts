/** A piece of a TypeScript source: all but the space between pieces. */
export interface SourceToken {
  readonly kind: 'comment' | 'string' | 'template' | 'pattern' | 'code'
  readonly text: string
  readonly line: number
}

/** After these words a slash begins a pattern; after any other word it divides. */
const WORDS_BEFORE_PATTERN = new Set(
  'return typeof case in of do else void delete throw new await yield instanceof'.split(' '),
)

/** The tokens of a TypeScript source. The code in the braces of a template is split like other code. */
export function tokensOf(code: string): SourceToken[] {
  const found: SourceToken[] = []
  // One entry for each open brace: whether it belongs to a template.
  const braces: boolean[] = []
  let before = ''
  let line = 1
  let at = 0
  while (at < code.length) {
    const [kind, end] = nextToken(code, at, before, braces)
    const text = code.slice(at, end)
    if (text.trim() !== '') found.push({ kind, text, line })
    if (kind === 'template') before = text.endsWith('{') ? '{' : ')'
    else if (kind === 'string' || kind === 'pattern') before = ')'
    else if (kind === 'code' && text.trim() !== '') before = text
    line += text.split('\n').length - 1
    at = end
  }
  return found
}

/** The kind and the end of the token at a place. Keeps the list of open braces. */
function nextToken(
  code: string,
  at: number,
  before: string,
  braces: boolean[],
): [SourceToken['kind'], number] {
  const char = code[at]
  if (code.startsWith('//', at)) return ['comment', endOf(code, at, '\n')]
  if (code.startsWith('/*', at)) return ['comment', endOf(code, at, '*/')]
  if (char === "'" || char === '"') return ['string', skipString(code, at)]
  if (char === '`' || (char === '}' && braces.at(-1) === true)) {
    if (char === '}') braces.pop()
    const end = skipTemplate(code, at + 1)
    if (code[end - 1] === '{') braces.push(true)
    return ['template', end]
  }
  if (char === '/' && startsPattern(before)) return ['pattern', skipPattern(code, at)]
  if (char === '{') braces.push(false)
  if (char === '}') braces.pop()
  return ['code', at + (/^(?:[\w$#]+|\s+)/.exec(code.slice(at, at + 200))?.[0].length ?? 1)]
}

function startsPattern(before: string): boolean {
  if (/^[\w$#]/.test(before)) return WORDS_BEFORE_PATTERN.has(before)
  return before !== ')' && before !== ']' && before !== '<'
}

function endOf(code: string, at: number, mark: string): number {
  const end = code.indexOf(mark, at + 2)
  return end < 0 ? code.length : end + mark.length
}

function skipString(code: string, at: number): number {
  let end = at + 1
  while (end < code.length && code[end] !== code[at]) {
    // The apostrophe of a text in JSX is not closed on its line.
    if (code[end] === '\n') return at + 1
    end += code[end] === '\\' ? 2 : 1
  }
  return end < code.length ? end + 1 : at + 1
}

/** The index after a template's end, or after the `${` that interrupts it. */
function skipTemplate(code: string, at: number): number {
  let end = at
  while (end < code.length && code[end] !== '`') {
    if (code[end] === '$' && code[end + 1] === '{') return end + 2
    end += code[end] === '\\' ? 2 : 1
  }
  return end + 1
}

/** The index after a pattern and its flags. */
function skipPattern(code: string, at: number): number {
  let end = at + 1
  let isInClass = false
  while (end < code.length && (isInClass || code[end] !== '/')) {
    if (code[end] === '\n') return at + 1
    if (code[end] === '[') isInClass = true
    if (code[end] === ']') isInClass = false
    end += code[end] === '\\' ? 2 : 1
  }
  end += 1
  while (/[a-z]/.test(code[end] ?? '')) end += 1
  return end
}
