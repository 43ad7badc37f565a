/** When imports run by themselves. */
import { type EpochMs, epochMs, Refusal, Type } from '../../base/index.ts'
import { readTimeZoneField, refuseField } from '../../catalog/shape/index.ts'

/** A cron expression of five parts in a time zone, or an interval in minutes. */
export type ImportSchedule =
  | { readonly cron: string; readonly timeZoneId: string }
  | { readonly everyMinutes: number }

const CRON_LENGTH_MAX = 200

/** What a caller may say about a schedule; null: none. */
export const scheduleShape = Type.Union([
  Type.Null(),
  Type.Object({
    cron: Type.Optional(
      Type.String({
        maxLength: CRON_LENGTH_MAX,
        description: 'Cron expression: minute, hour, day, month, weekday, as in 0 6 * * 1-5',
      }),
    ),
    timeZoneId: Type.Optional(
      Type.String({ description: 'Time zone of the cron expression, UTC by default' }),
    ),
    everyMinutes: Type.Optional(
      Type.Integer({ description: 'Instead of cron: interval in minutes' }),
    ),
  }),
])

/** What a caller may ask of a schedule that need not be saved. */
export const scheduleCheckShape = Type.Object(
  { schedule: scheduleShape },
  {
    title: 'ScheduleCheckBody',
    examples: [{ schedule: { cron: '0 6 * * 1-5', timeZoneId: 'Europe/Berlin' } }],
  },
)

/** What a schedule comes to; `error` is the reason why it cannot be saved. */
export interface ScheduleCheck {
  readonly error: { readonly field: string; readonly message: string } | null
  /** The next times, at most three. */
  readonly nextRuns: readonly EpochMs[]
}

const NEXT_RUNS = 3
const FIELD = 'connector.schedule'
/** A month: what is rarer is better said by an expression. */
const EVERY_MINUTES_MAX = 44_640
const MINUTE_MS = 60_000

interface ScheduleInput {
  readonly cron?: string
  readonly timeZoneId?: string
  readonly everyMinutes?: number
}

/** The schedule that an input means; refuses what never comes and what cannot be read. */
export async function readSchedule(input: ScheduleInput | null): Promise<ImportSchedule | null> {
  if (input === null) return null
  const { cron, everyMinutes } = input
  if ((cron === undefined) === (everyMinutes === undefined)) {
    refuseField(FIELD, 'must have either cron or everyMinutes')
  }
  if (everyMinutes !== undefined) {
    if (everyMinutes >= 1 && everyMinutes <= EVERY_MINUTES_MAX) return { everyMinutes }
    refuseField(`${FIELD}.everyMinutes`, `must be from 1 to ${EVERY_MINUTES_MAX}`)
  }
  const text = (cron ?? '').trim()
  const timeZoneId = readTimeZoneField(`${FIELD}.timeZoneId`, input.timeZoneId || 'UTC')
  if (text.length > CRON_LENGTH_MAX) {
    refuseField(`${FIELD}.cron`, `must not have more than ${CRON_LENGTH_MAX} characters`)
  }
  const schedule = { cron: text, timeZoneId }
  let next: EpochMs | undefined
  try {
    // What reads expressions takes a date as well, which comes once at most.
    if (/^\d{4}-/.test(text)) throw new Error('a single date is not a schedule')
    next = await nextRunAfter(schedule, epochMs(0))
  } catch (error) {
    const problem = cronProblem(text) ?? (error as Error).message.replace(/^CronPattern: /, '')
    refuseField(`${FIELD}.cron`, `must be minute, hour, day, month, and weekday: ${problem}`)
  }
  if (next === undefined) refuseField(`${FIELD}.cron`, 'never comes')
  return schedule
}

/** What the form of an expression breaks, in our words: the library speaks of forms that are not taken here. */
function cronProblem(text: string): string | undefined {
  if (text.startsWith('@')) {
    return `"${text}" is not @hourly, @daily, @weekly, @monthly, or @yearly`
  }
  const count = text === '' ? 0 : text.split(/\s+/).length
  return count === 5 ? undefined : `expected five fields separated by spaces, got ${count}`
}

/** Checks a schedule as saving it would, and returns its next times after a moment. */
export async function checkSchedule(
  input: ScheduleInput | null,
  after: EpochMs,
): Promise<ScheduleCheck> {
  let schedule: ImportSchedule | null
  try {
    schedule = await readSchedule(input)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { error: { field: error.field ?? FIELD, message: error.message }, nextRuns: [] }
  }
  const nextRuns: EpochMs[] = []
  while (schedule !== null && nextRuns.length < NEXT_RUNS) {
    const next = await nextRunAfter(schedule, nextRuns.at(-1) ?? after)
    if (next === undefined) break
    nextRuns.push(next)
  }
  return { error: null, nextRuns }
}

/** The first time of a schedule after a moment; undefined when there is none. */
export async function nextRunAfter(
  schedule: ImportSchedule,
  after: EpochMs,
): Promise<EpochMs | undefined> {
  if ('everyMinutes' in schedule) return epochMs(after + schedule.everyMinutes * MINUTE_MS)
  const { Cron } = await import('croner')
  const { cron, timeZoneId } = schedule
  const job = new Cron(cron, { timezone: timeZoneId, mode: '5-part' })
  const [, hours = '*'] = (job.getPattern() ?? cron).trim().split(/\s+/)
  // Who leaves the hour free wants even distances; who names hours wants each local time once.
  const zone = FREE_HOURS.includes(hours) ? undefined : localClock(timeZoneId)
  let next = job.nextRun(new Date(after))
  while (next !== null && zone !== undefined && isRepeated(next.getTime(), zone)) {
    next = job.nextRun(next)
  }
  return next === null ? undefined : epochMs(next.getTime())
}

const FREE_HOURS = ['*', '?', '*/1']
/** Clocks are never set back by more, nor twice within it. */
const SET_BACK_MS_MAX = 3 * 60 * MINUTE_MS

function localClock(timeZone: string): Intl.DateTimeFormat {
  const date = { year: 'numeric', month: '2-digit', day: '2-digit' } as const
  const time = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const
  return new Intl.DateTimeFormat('en-US', { timeZone, ...date, ...time })
}

/** How far a zone's clock is ahead of UTC. */
function offsetAt(ms: number, clock: Intl.DateTimeFormat): number {
  const part = Object.fromEntries(
    clock.formatToParts(ms).map(({ type, value }) => [type, Number(value)]),
  )
  const { year, month, day, hour, minute, second } = part
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1_000) * 1_000
}

/** Whether the clock showed the same local time before, ahead of being set back. */
function isRepeated(ms: number, clock: Intl.DateTimeFormat): boolean {
  const before = offsetAt(ms - SET_BACK_MS_MAX, clock)
  const setBack = before - offsetAt(ms, clock)
  return setBack > 0 && offsetAt(ms - setBack, clock) === before
}
