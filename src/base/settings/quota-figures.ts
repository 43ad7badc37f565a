import { SettingMistake } from './setting-readers.ts'

/** What is counted in every organization. */
const quotaNames = ['components', 'streams', 'fileBytes', 'catalogBytes', 'organizations'] as const
export type QuotaName = (typeof quotaNames)[number]

/** How much one organization may have of each; undefined: as much as there is room for. */
export type Quotas = Readonly<Record<QuotaName, number | undefined>>

/** So much that nobody who has a machine to themselves meets it, and one of many cannot take it all. */
const DEFAULT_QUOTAS: Quotas = {
  components: 1_000_000,
  streams: 10_000_000,
  fileBytes: 1_000_000_000_000,
  catalogBytes: 20_000_000_000,
  // Each organization has its own quotas, so the right to create organizations must be limited.
  organizations: 10,
}

const NO_QUOTAS: Quotas = {
  components: undefined,
  streams: undefined,
  fileBytes: undefined,
  catalogBytes: undefined,
  organizations: undefined,
}

const UNIT_BYTES: Readonly<Record<string, number>> = {
  '': 1,
  KB: 1_000,
  MB: 1_000_000,
  GB: 1_000_000_000,
  TB: 1_000_000_000_000,
}

const PART = /^ *([a-zA-Z]{1,20}) *= *(?:(off)|(\d{1,15}) ?([KMGT]B|)) *$/

/**
 * Reads `off`, `default`, or figures such as `components=5000,streams=off,fileBytes=20GB`; what is
 * not named keeps its default.
 */
export function readQuotas(text: string): Quotas {
  if (text === 'off') return NO_QUOTAS
  if (text === 'default') return DEFAULT_QUOTAS
  const quotas: Record<QuotaName, number | undefined> = { ...DEFAULT_QUOTAS }
  for (const part of text.split(',')) {
    const [, name, isOff, digits, unit] = PART.exec(part) ?? []
    const quota = quotaNames.find((known) => known === name)
    const isCount = quota !== 'fileBytes' && quota !== 'catalogBytes'
    const figure = Number(digits) * (UNIT_BYTES[unit ?? ''] ?? Number.NaN)
    const isFigure = Number.isSafeInteger(figure) && !(isCount && unit !== '')
    if (quota === undefined || (isOff === undefined && !isFigure)) {
      throw new SettingMistake(
        `must be off, default, or values such as components=5000,streams=100000,fileBytes=20GB,catalogBytes=500MB,organizations=3, got "${text}"`,
      )
    }
    quotas[quota] = isOff === undefined ? figure : undefined
  }
  return quotas
}
