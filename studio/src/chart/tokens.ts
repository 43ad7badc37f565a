import { LEVEL_COLORS, type LevelColor } from './levels.ts'

/** What the theme says, as a canvas needs it. */
export interface ChartTokens {
  readonly ink: string
  readonly soft: string
  readonly line: string
  readonly card: string
  readonly font: string
  readonly series: readonly string[]
  /** The colors of thresholds. */
  readonly levels: Readonly<Record<LevelColor, string>>
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
    levels: Object.fromEntries(
      LEVEL_COLORS.map((color) => [color, token(`level-${color}`)]),
    ) as Record<LevelColor, string>,
    series: [1, 2, 3, 4, 5, 6, 7, 8].map((number) => token(`series-${number}`)),
  }
}
