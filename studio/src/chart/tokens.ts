/** What the theme says, as a canvas needs it. */
export interface ChartTokens {
  readonly ink: string
  readonly soft: string
  readonly line: string
  readonly card: string
  readonly font: string
  readonly series: readonly string[]
}

/** Reads the tokens of the theme that is shown. */
export function readTokens(): ChartTokens {
  const style = getComputedStyle(document.documentElement)
  const token = (name: string) => style.getPropertyValue(`--${name}`).trim()
  return {
    ink: token('ink'),
    soft: token('ink-soft'),
    line: token('line'),
    card: token('card'),
    font: token('font'),
    series: [1, 2, 3, 4, 5, 6, 7, 8].map((number) => token(`series-${number}`)),
  }
}
