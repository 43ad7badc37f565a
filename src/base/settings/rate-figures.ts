import { SettingMistake } from './setting-readers.ts'

/** How many calls a bucket holds and in which time it fills from empty. */
export interface RateFigure {
  readonly calls: number
  readonly perMs: number
}

/** What is limited: feed and file PUTs, the property and administrative calls, failed credentials. */
const rateClasses = ['feed', 'admin', 'failed'] as const
export type RateClass = (typeof rateClasses)[number]

/** The figure of each class; undefined: not limited. */
export type RateFigures = Readonly<Record<RateClass, RateFigure | undefined>>

const FAILED: RateFigure = { calls: 10, perMs: 60_000 }

/** The named sets of figures; `off` lifts all of them, that of failed credentials too. */
const ratePresets: Readonly<Record<'off' | 'default' | 'classic', RateFigures>> = {
  off: { feed: undefined, admin: undefined, failed: undefined },
  default: {
    feed: { calls: 10_000, perMs: 10_000 },
    admin: { calls: 350, perMs: 60_000 },
    failed: FAILED,
  },
  classic: {
    feed: { calls: 12, perMs: 120_000 },
    admin: { calls: 350, perMs: 3_600_000 },
    failed: FAILED,
  },
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 }

/**
 * Reads a preset's name or own figures such as `feed=5000/10s,admin=off,failed=20/1m`; classes that
 * are not named keep their default.
 */
export function readRateFigures(text: string): RateFigures {
  if (text === 'off' || text === 'default' || text === 'classic') return ratePresets[text]
  const figures: Record<RateClass, RateFigure | undefined> = { ...ratePresets.default }
  for (const part of text.split(',')) {
    const match = /^\s*(feed|admin|failed)=(?:(off)|(\d{1,9})\/(\d{1,6})([smh]))\s*$/.exec(part)
    const calls = Number(match?.[3])
    const perMs = Number(match?.[4]) * (UNIT_MS[match?.[5] ?? ''] ?? 0)
    if (match === null || (match[2] === undefined && (calls === 0 || perMs === 0))) {
      throw new SettingMistake(
        `must be off, default, classic, or values such as feed=5000/10s,admin=350/1m, got "${text}"`,
      )
    }
    figures[match[1] as RateClass] = match[2] === 'off' ? undefined : { calls, perMs }
  }
  return figures
}

/** Figures of which none is wider than the ceiling's: neither in calls at once nor in calls over time. */
export function capRateFigures(figures: RateFigures, ceiling: RateFigures): RateFigures {
  const cap = (name: RateClass) => capFigure(figures[name], ceiling[name])
  return { feed: cap('feed'), admin: cap('admin'), failed: cap('failed') }
}

function capFigure(
  figure: RateFigure | undefined,
  ceiling: RateFigure | undefined,
): RateFigure | undefined {
  if (figure === undefined || ceiling === undefined) return figure ?? ceiling
  const calls = Math.min(figure.calls, ceiling.calls)
  const callsPerMs = Math.min(figure.calls / figure.perMs, ceiling.calls / ceiling.perMs)
  return { calls, perMs: calls / callsPerMs }
}
