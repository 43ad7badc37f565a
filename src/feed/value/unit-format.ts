/** How true and false are written with a unit. */
const booleanWords = {
  TRUE_FALSE: ['true', 'false'],
  ONE_ZERO: ['1', '0'],
  ON_OFF: ['On', 'Off'],
  YES_NO: ['Yes', 'No'],
  CLOSE_OPEN: ['Close', 'Open'],
  OPEN_CLOSE: ['Open', 'Close'],
  HIGH_LOW: ['High', 'Low'],
  LOW_HIGH: ['Low', 'High'],
} as const

/** A unit as far as it shapes a value. */
export interface UnitFormat {
  readonly symbol: string
  readonly symbolLocation: 'BEFORE' | 'AFTER'
  /** Such as `0,000.00`: a comma asks for grouping, the digits behind the dot for decimals. */
  readonly numberFormat: string
  readonly booleanStyle: keyof typeof booleanWords
}

/** Numbers from here on, all of them whole, have no plain digits in toFixed. */
const FIXED_BELOW = 1e21
const DECIMALS_MAX = 20

function group(digits: string): string {
  const groups: string[] = []
  for (let end = digits.length; end > 0; end -= 3)
    groups.push(digits.slice(Math.max(0, end - 3), end))
  return groups.reverse().join(',')
}

/** The digits of a decimal text without its sign, rounded half up like toFixed does. */
function fixDecimal(text: string, decimals: number): string {
  const [integer, fraction = ''] = text.replace('-', '').split('.')
  if (fraction.length <= decimals) {
    return decimals === 0 ? integer : `${integer}.${fraction.padEnd(decimals, '0')}`
  }
  const kept = BigInt(integer + fraction.slice(0, decimals))
  const rounded = fraction[decimals] >= '5' ? kept + 1n : kept
  const digits = rounded.toString().padStart(decimals + 1, '0')
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

function fixDouble(value: number, decimals: number): string {
  return value < FIXED_BELOW ? value.toFixed(decimals) : fixDecimal(`${BigInt(value)}`, decimals)
}

/** Writes a number, or the text of a BIG_DECIMAL without losing a digit. */
function formatNumber(value: number | string, format: string): string {
  const isText = typeof value === 'string'
  // A sum may be beyond all doubles.
  const isBare = !/[0#]/.test(format) || (!isText && !Number.isFinite(value))
  if (isBare) return isText ? value : showNumber(value)
  const dot = format.indexOf('.')
  const whole = dot < 0 ? format : format.slice(0, dot)
  const asked = dot < 0 ? 0 : format.slice(dot + 1).replace(/[^0#]/g, '').length
  const decimals = Math.min(asked, DECIMALS_MAX)
  const fixed = isText ? fixDecimal(value, decimals) : fixDouble(Math.abs(value), decimals)
  const [integer, fraction] = fixed.split('.')
  const grouped = whole.includes(',') ? group(integer) : integer
  const text = fraction === undefined ? grouped : `${grouped}.${fraction}`
  // What rounds to zero has no sign.
  return Number(value) < 0 && /[1-9]/.test(text) ? `-${text}` : text
}

/** The shortest digits that read back as the same double; minus zero keeps its sign. */
export function showNumber(value: number): string {
  return value === 0 && Object.is(value, -0) ? '-0' : String(value)
}

/** A value with its unit, as in fData; the bare value when there is no unit. */
export function formatValue(
  value: number | string,
  options: {
    readonly isBoolean: boolean
    /** Whether texts are decimal numbers. */
    readonly isDecimal?: boolean
    readonly unit?: UnitFormat
  },
): string {
  const { isBoolean, isDecimal = false, unit } = options
  const shown =
    typeof value === 'string' && !isDecimal
      ? value
      : isBoolean
        ? booleanWords[unit?.booleanStyle ?? 'TRUE_FALSE'][value === 0 ? 1 : 0]
        : formatNumber(value, unit?.numberFormat ?? '')
  if (unit === undefined) return shown
  return unit.symbolLocation === 'BEFORE' ? `${unit.symbol}${shown}` : `${shown}${unit.symbol}`
}
