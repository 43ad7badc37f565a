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

/** Numbers from here on have no plain decimal digits in toFixed. */
const FIXED_BELOW = 1e21
const DECIMALS_MAX = 20

function group(digits: string): string {
  return digits.replace(/\B(?=(?:\d{3})+$)/g, ',')
}

function formatNumber(value: number, format: string): string {
  if (!/[0#]/.test(format) || Math.abs(value) >= FIXED_BELOW) return showNumber(value)
  const dot = format.indexOf('.')
  const whole = dot < 0 ? format : format.slice(0, dot)
  const decimals = dot < 0 ? 0 : format.slice(dot + 1).replace(/[^0#]/g, '').length
  const [integer, fraction] = Math.abs(value).toFixed(Math.min(decimals, DECIMALS_MAX)).split('.')
  const grouped = whole.includes(',') ? group(integer) : integer
  const text = fraction === undefined ? grouped : `${grouped}.${fraction}`
  // What rounds to zero has no sign.
  return value < 0 && /[1-9]/.test(text) ? `-${text}` : text
}

/** The shortest digits that read back as the same double; minus zero keeps its sign. */
export function showNumber(value: number): string {
  return value === 0 && Object.is(value, -0) ? '-0' : String(value)
}

/** A value with its unit, as fData tells it; the plain value when there is no unit. */
export function formatValue(
  value: number | string,
  options: { readonly isBoolean: boolean; readonly unit?: UnitFormat },
): string {
  const { isBoolean, unit } = options
  const plain =
    typeof value === 'string'
      ? value
      : isBoolean
        ? booleanWords[unit?.booleanStyle ?? 'TRUE_FALSE'][value === 0 ? 1 : 0]
        : formatNumber(value, unit?.numberFormat ?? '')
  if (unit === undefined) return plain
  return unit.symbolLocation === 'BEFORE' ? `${unit.symbol}${plain}` : `${plain}${unit.symbol}`
}
