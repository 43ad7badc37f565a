/** Cron expressions of five parts in words. */

/** The days of a week, from Sunday, as schedules count them. */
export const WEEKDAYS = [
  'Sunday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
] as const
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const

/** What one part says: which values of its range. */
interface Part {
  readonly text: string
  readonly isAny: boolean
  readonly values: readonly number[]
}

interface PartKind {
  readonly first: number
  readonly last: number
  /** Names of the values, in capitals, from the first. */
  readonly names?: readonly string[]
}

const KINDS: readonly PartKind[] = [
  { first: 0, last: 59 },
  { first: 0, last: 23 },
  { first: 1, last: 31 },
  { first: 1, last: 12, names: MONTHS.map(shortOf) },
  { first: 0, last: 7, names: WEEKDAYS.map(shortOf) },
]
const NAMED_MAX = 6

/** `every weekday at 06:00`; undefined for what is better read as it is written. */
export function cronWords(cron: string): string | undefined {
  const texts = cron.trim().split(/\s+/)
  if (texts.length !== KINDS.length) return undefined
  const parts: Part[] = []
  for (const [at, kind] of KINDS.entries()) {
    const part = readPart(texts[at], kind)
    if (part === undefined) return undefined
    parts.push(part)
  }
  const [minutes, hours, days, months, weekdays] = parts
  const when = timesIn(minutes, hours)
  const within = months.isAny ? '' : monthsIn(months)
  const isOften = when?.isOften === true
  const on = daysIn(days, sundayFirst(weekdays), { isOften, isEveryMonth: months.isAny })
  if (when === undefined || on === undefined || within === undefined) return undefined
  const order = isOften ? [when.words, on, within] : [on || 'every day', within, when.words]
  return order.filter((words) => words !== '').join(' ')
}

function readPart(text: string, kind: PartKind): Part | undefined {
  const values = new Set<number>()
  for (const item of text.split(',')) {
    const [, begin, end, step] = /^(\*|\w+)(?:-(\w+))?(?:\/(\d+))?$/.exec(item) ?? []
    if (begin === undefined || (begin === '*' && end !== undefined)) return undefined
    // `5/15` is read differently by different readers.
    if (begin !== '*' && end === undefined && step !== undefined) return undefined
    const from = begin === '*' ? kind.first : numberOf(begin, kind)
    const single = begin === '*' ? kind.last : from
    const until = end === undefined ? single : numberOf(end, kind)
    const by = Number(step ?? 1)
    if (from === undefined || until === undefined || until < from || by < 1) return undefined
    for (let value = from; value <= until; value += by) values.add(value)
  }
  const isAny = values.size === kind.last - kind.first + 1
  return { text, isAny, values: [...values].toSorted((a, b) => a - b) }
}

function numberOf(text: string, { first, last, names }: PartKind): number | undefined {
  const named = names?.indexOf(text.toUpperCase()) ?? -1
  const value = named >= 0 ? first + named : Number(text)
  return Number.isInteger(value) && value >= first && value <= last ? value : undefined
}

interface Times {
  readonly words: string
  /** Whether it is more than some moments of a day. */
  readonly isOften: boolean
}

function timesIn(minutes: Part, hours: Part): Times | undefined {
  const every = stepOf(minutes, 60)
  if (every !== undefined) {
    const often = every === 1 ? 'every minute' : `every ${every} minutes`
    if (hours.isAny) return { words: often, isOften: true }
    if (!isRow(hours)) return undefined
    const from = clockText({ hour: hours.values[0], minute: 0 })
    const until = clockText({ hour: hours.values.at(-1) ?? 0, minute: minutes.values.at(-1) ?? 0 })
    return { words: `${often} from ${from} to ${until}`, isOften: true }
  }
  const [minute] = minutes.values
  const hoursApart = stepOf(hours, 24)
  if (hoursApart !== undefined && minutes.values.length === 1) {
    const often = hoursApart === 1 ? 'every hour' : `every ${hoursApart} hours`
    return { words: minute === 0 ? often : `${often} at minute ${minute}`, isOften: true }
  }
  if (hours.isAny && minutes.values.length <= NAMED_MAX) {
    return { words: `every hour at the minutes ${listed(minutes.values)}`, isOften: true }
  }
  const moments = hours.values.flatMap((hour) =>
    minutes.values.map((each) => clockText({ hour, minute: each })),
  )
  return moments.length > NAMED_MAX ? undefined : { words: `at ${listed(moments)}`, isOften: false }
}

/** How far the values of a part are apart where that goes on over the end of its range. */
function stepOf({ text, isAny, values }: Part, range: number): number | undefined {
  const step = isAny ? 1 : Number(/^\*\/(\d+)$/.exec(text)?.[1])
  return range % step === 0 && values.length > 1 ? step : undefined
}

interface DayWords {
  readonly isOften: boolean
  readonly isEveryMonth: boolean
}

function daysIn(days: Part, weekdays: Part, as: DayWords): string | undefined {
  if (days.values.length > NAMED_MAX && !days.isAny && !isRow(days)) return undefined
  const ofMonth = days.isAny ? '' : monthDayWords(days, as.isEveryMonth)
  const ofWeek = weekdays.isAny ? '' : weekdayWords(weekdays, as.isOften)
  if (ofMonth === '' || ofWeek === '') return ofMonth || ofWeek
  // Either is enough; a step is read differently by different readers.
  const isPlain = ![days.text, weekdays.text].some((text) => text.includes('*'))
  return isPlain ? `${ofMonth} and ${ofWeek}` : undefined
}

function monthDayWords(days: Part, isEveryMonth: boolean): string {
  const words = rowOf(days, (day) => `the ${ordinal(day)}`)
  const on = words.startsWith('from ') ? words : `on ${words}`
  return isEveryMonth ? `${on} of every month` : on
}

function weekdayWords({ values }: Part, isOften: boolean): string {
  if (values.join() === '1,2,3,4,5') return isOften ? 'on weekdays' : 'every weekday'
  const names = values.map((day) => WEEKDAYS[day])
  return names.length === 1 && !isOften ? `every ${names[0]}` : `on ${listed(names)}`
}

function monthsIn(months: Part): string | undefined {
  if (months.values.length > NAMED_MAX && !isRow(months)) return undefined
  const words = rowOf(months, (month) => MONTHS[month - 1])
  return words.startsWith('from ') ? words : `in ${words}`
}

const isRow = ({ values }: Part) => (values.at(-1) ?? 0) - values[0] === values.length - 1

/** Values one by one, or from the first to the last of a longer row. */
function rowOf(part: Part, nameOf: (value: number) => string): string {
  const { values } = part
  if (values.length < 4 || !isRow(part)) return listed(values.map(nameOf))
  return `from ${nameOf(values[0])} to ${nameOf(values.at(-1) ?? 0)}`
}

/** 7 is the Sunday too. */
function sundayFirst(part: Part): Part {
  const values = [...new Set(part.values.map((day) => day % 7))].toSorted((a, b) => a - b)
  return { ...part, isAny: part.isAny || values.length === 7, values }
}

function listed(words: readonly (string | number)[]): string {
  const last = words.at(-1) ?? ''
  return words.length < 2 ? String(last) : `${words.slice(0, -1).join(', ')} and ${last}`
}

function ordinal(day: number): string {
  const isTeen = day >= 11 && day <= 13
  const ending = isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][day % 10] ?? 'th')
  return `${day}${ending}`
}

/** `06:00`. */
export function clockText(time: { readonly hour: number; readonly minute: number }): string {
  return [time.hour, time.minute].map((each) => String(each).padStart(2, '0')).join(':')
}

function shortOf(name: string): string {
  return name.slice(0, 3).toUpperCase()
}
