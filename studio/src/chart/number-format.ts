/** Numbers as a unit writes them. */
import { numberText, preciseText } from './figures.ts'

/** As many digits behind the point as the service writes. */
const DECIMALS_MAX = 20

/** A number in the format of a unit, such as `0,000.00`; without one as many digits as people read. */
export function formatNumber(value: number, numberFormat: string): string {
  const decimals = decimalsOf(numberFormat)
  if (decimals === undefined) return numberText(value)
  const text = preciseText(value, { decimals, isFixed: true })
  if (!numberFormat.split('.')[0].includes(',')) return text
  const [whole, fraction] = text.split('.')
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ',')
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}

/** The digits behind the point that a format asks for; undefined: it is no format. */
export function decimalsOf(numberFormat: string): number | undefined {
  if (!/[0#]/.test(numberFormat)) return undefined
  const [, fraction = ''] = numberFormat.split('.')
  return Math.min(fraction.replace(/[^0#]/g, '').length, DECIMALS_MAX)
}
