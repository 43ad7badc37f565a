/** The words of the range picker as boards say them. */
const WORDS: Readonly<Record<string, string>> = {
  '5m': 'last-5min',
  '15m': 'last-15min',
  '1h': 'last-1h',
  '6h': 'last-6h',
  '24h': 'last-24h',
  '7d': 'last-7d',
  '30d': 'last-30d',
  '365d': 'last-365d',
  today: 'today',
  yesterday: 'yesterday',
  week: 'this-week',
  lastweek: 'last-week',
  month: 'this-month',
  lastmonth: 'last-month',
  year: 'this-year',
}

/** The range that the address of a chart names, as boards say it; blank where it names none. */
export function rangeOfView(query: URLSearchParams): string {
  const [from, until] = [query.get('from') ?? '', query.get('until') ?? '']
  if (/^-?\d{1,14}$/.test(from) && /^-?\d{1,14}$/.test(until)) return `${from}..${until}`
  return WORDS[query.get('range') ?? ''] ?? ''
}
