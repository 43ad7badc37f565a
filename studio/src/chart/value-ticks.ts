/** Digits behind the point that Intl writes at most. */
const DECIMALS_MAX = 20
/** Below and from here on zeros would say more than digits. */
const TINY_BELOW = 1e-4
const HUGE_FROM = 1e15

/** The texts of a value axis: as many decimals as its steps have, so that no two of them read the same. */
export function valueTexts(values: readonly number[], step: number): string[] {
  const largest = Math.max(...values.map(Math.abs))
  const power = Math.floor(Math.log10(step))
  if (largest > 0 && (largest < TINY_BELOW || largest >= HUGE_FROM)) {
    // Steps have two digits at most, as 2.5 has.
    const digits = Math.floor(Math.log10(largest)) - power + 2
    return values.map((value) => shortText(value, Math.min(Math.max(digits, 1), 15)))
  }
  const maximumFractionDigits = Math.min(Math.max(1 - power, 0), DECIMALS_MAX)
  const format = new Intl.NumberFormat(undefined, { maximumFractionDigits })
  // A value that is nothing but the error of adding steps up would be -0.
  return values.map((value) => format.format(Math.abs(value) < step / 1e6 ? 0 : value))
}

function shortText(value: number, digits: number): string {
  return value === 0 ? '0' : Number(value.toPrecision(digits)).toExponential()
}
