const WORDS: Readonly<Record<string, string>> = {
  MILLISEC: 'millisecond',
  SECOND: 'second',
  MINUTE: 'minute',
  HOUR: 'hour',
  DAY: 'day',
  WEEK: 'week',
  MONTH: 'month',
  YEAR: 'year',
}

/** A length of time in words: `3 months`, `day`, `2 listed periods`. */
export function sizeWords(size: {
  readonly sizeType: string
  readonly count: number
  readonly intervals?: readonly unknown[]
}): string {
  if (size.sizeType === 'CUSTOM') return `${size.intervals?.length ?? 0} listed periods`
  const word = WORDS[size.sizeType] ?? size.sizeType
  return size.count === 1 ? word : `${size.count} ${word}s`
}

/** The units of time as choices, of which some may be left out. */
export function sizeChoices(types: readonly string[]) {
  const shown = (value: string) => {
    const word = WORDS[value]
    return word === undefined ? 'Periods from a list' : `${word[0].toUpperCase()}${word.slice(1)}s`
  }
  return types.map((value) => ({ value, label: shown(value) }))
}
