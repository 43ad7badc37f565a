/** The header for warnings of a successful call. */
export const WARNING_HEADER = 'Weir-Warning'

/** Warnings in one response, and their length together: a head stays small whatever happens. */
const WARNINGS_MAX = 8
const LENGTH_MAX = 2_000

/** Warnings as a list in one header, or undefined where there are none; they hold no commas. */
export function warningText(warnings: readonly string[]): string | undefined {
  if (warnings.length === 0) return undefined
  const list = warnings.slice(0, WARNINGS_MAX).map((warning) => warning.replaceAll(',', ';'))
  // What is no printable ASCII has no place in a head.
  return list
    .join(', ')
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .slice(0, LENGTH_MAX)
}
