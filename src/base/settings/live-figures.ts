import { SettingMistake } from './setting-readers.ts'

/** How many live connections there may be, and how often each receives events. */
export interface LiveFigures {
  readonly total: number
  readonly organization: number
  /** Of one user or API key. */
  readonly user: number
  /** From one address, or one /64 of IPv6. */
  readonly address: number
  /** Times a second; fewer while sending to all of them takes long. */
  readonly perSecond: number
}

/** A browser tab is one connection; of a screen on every wall there are some hundred. */
const DEFAULT_FIGURES: LiveFigures = {
  total: 5_000,
  organization: 2_000,
  user: 200,
  address: 1_000,
  perSecond: 5,
}

const MAX: LiveFigures = {
  total: 1_000_000,
  organization: 1_000_000,
  user: 1_000_000,
  address: 1_000_000,
  perSecond: 50,
}

const PART = /^ *([a-zA-Z]{1,20}) *= *(\d{1,7}) *$/

/** Reads `default`, or figures such as `total=500,user=20,perSecond=2`; what is not named keeps its default. */
export function readLiveFigures(text: string): LiveFigures {
  if (text === 'default') return DEFAULT_FIGURES
  const figures: Record<string, number> = { ...DEFAULT_FIGURES }
  for (const part of text.split(',')) {
    const [, name = '', digits] = PART.exec(part) ?? []
    const figure = Number(digits)
    const max = Object.hasOwn(MAX, name) ? MAX[name as keyof LiveFigures] : 0
    const least = name === 'perSecond' ? 1 : 0
    if (!(figure >= least && figure <= max)) {
      throw new SettingMistake(
        `must be default, or values such as total=500,organization=200,user=20,address=100,perSecond=5, got "${text}"`,
      )
    }
    figures[name] = figure
  }
  return figures as unknown as LiveFigures
}
