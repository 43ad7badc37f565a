/** A number as Go's `%g` and `%v` write it. */
export function showShortest(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  if (value === 0) return Object.is(value, -0) ? '-0' : '0'
  const [digits, exponentText] = value.toExponential().split('e')
  const exponent = Number(exponentText)
  if (exponent >= -4 && exponent < 6) return plainDecimal(value)
  return `${digits}${exponentOf(exponent)}`
}

/** A number with a few significant digits, as Go's `%.2g` writes it. */
export function showRounded(value: number, digits: number): string {
  if (!Number.isFinite(value)) return showShortest(value)
  const [mantissa, exponentText] = value.toExponential(digits - 1).split('e')
  const exponent = Number(exponentText)
  if (exponent < -4 || exponent >= digits) {
    return `${Number(mantissa)}${exponentOf(exponent)}`
  }
  return plainDecimal(Number(value.toPrecision(digits)))
}

function exponentOf(exponent: number): string {
  const sign = exponent < 0 ? '-' : '+'
  return `e${sign}${`${Math.abs(exponent)}`.padStart(2, '0')}`
}

/** A number without an exponent, with as few digits as identify it. */
export function plainDecimal(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  if (Object.is(value, -0)) return '-0'
  const text = `${value}`
  if (!text.includes('e')) return text
  const sign = value < 0 ? '-' : ''
  const [mantissa, exponentText] = text.replace('-', sign === '' ? '-' : '').split('e')
  const exponent = Number(exponentText)
  const [whole, fraction = ''] = mantissa.split('.')
  const digits = whole + fraction
  const point = whole.length + exponent
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  return `${sign}${digits.padEnd(point, '0')}`
}

/** A number as Go's `ParseFloat` reads it; undefined when it is none. */
export function parseFloatText(text: string): number | undefined {
  const plain = text.toLowerCase()
  const special = /^([-+]?)(inf|infinity|nan)$/.exec(plain)
  if (special !== null) {
    if (special[2] === 'nan') return special[1] === '' ? Number.NaN : undefined
    return special[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  }
  return /^[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[-+]?[0-9]+)?$/.test(plain)
    ? Number(plain)
    : undefined
}
