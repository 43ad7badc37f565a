/** A number as Go reads it: decimal, hexadecimal, octal, with underscores, `Inf`, or `NaN`. */
export function readNumberLiteral(text: string): number {
  const plain = text.toLowerCase()
  if (plain === 'inf') return Number.POSITIVE_INFINITY
  if (plain === 'nan') return Number.NaN
  // A leading zero makes whole numbers octal, as long as all digits fit.
  if (/^0_?[0-7][0-7_]*$/.test(plain)) return Number.parseInt(plain.replaceAll('_', ''), 8)
  return Number(plain.replaceAll('_', ''))
}

const durationUnits: Readonly<Record<string, number>> = {
  y: 365 * 86_400_000,
  w: 7 * 86_400_000,
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1_000,
  ms: 1,
}

const durationForm =
  /^(?:([0-9]+)y)?(?:([0-9]+)w)?(?:([0-9]+)d)?(?:([0-9]+)h)?(?:([0-9]+)m)?(?:([0-9]+)s)?(?:([0-9]+)ms)?$/

/** Milliseconds of a duration such as `1h30m`; undefined when its units are not in falling order. */
export function readDuration(text: string): number | undefined {
  const parts = durationForm.exec(text)
  if (parts === null) return undefined
  const names = Object.keys(durationUnits)
  return names.reduce(
    (sum, name, index) => sum + Number(parts[index + 1] ?? 0) * durationUnits[name],
    0,
  )
}

const simpleEscapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
}

const escapePattern =
  /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|([abfnrtv\\'"]))/y

/** The text of a string in quotes; undefined when an escape sequence is wrong. Bytes make up UTF-8. */
export function unquote(literal: string): string | undefined {
  const quote = literal[0]
  const body = literal.slice(1, -1)
  if (quote === '`' || !body.includes('\\')) return body
  const bytes: Buffer[] = []
  let at = 0
  while (at < body.length) {
    const slash = body.indexOf('\\', at)
    const end = slash < 0 ? body.length : slash
    if (end > at) bytes.push(Buffer.from(body.slice(at, end)))
    if (slash < 0) break
    escapePattern.lastIndex = slash
    const found = escapePattern.exec(body)
    const escaped = found === null ? undefined : readEscape(found, quote)
    if (found === null || escaped === undefined) return undefined
    bytes.push(escaped)
    at = slash + found[0].length
  }
  return Buffer.concat(bytes).toString('utf8')
}

function readEscape(found: RegExpExecArray, quote: string): Buffer | undefined {
  const [, hex, short, long, octal, simple] = found
  if (simple !== undefined) {
    const char = simpleEscapes[simple] ?? (simple === quote ? quote : undefined)
    return char === undefined ? undefined : Buffer.from(char)
  }
  if (hex !== undefined) return Buffer.of(Number.parseInt(hex, 16))
  if (octal !== undefined) {
    const byte = Number.parseInt(octal, 8)
    return byte > 255 ? undefined : Buffer.of(byte)
  }
  const point = Number.parseInt(short ?? long, 16)
  if (point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) return undefined
  return Buffer.from(String.fromCodePoint(point))
}
