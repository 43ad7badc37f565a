/** When imports run by themselves. */
import { Type } from 'typebox'
import { type EpochMs, epochMs } from '../../base/index.ts'
import { readTimeZoneField, refuseField } from '../../catalog/index.ts'

/** A cron expression of five parts in a time zone, or every so many minutes. */
export type ImportSchedule =
  | { readonly cron: string; readonly timeZoneId: string }
  | { readonly everyMinutes: number }

/** What a caller may say about a schedule; null: none. */
export const scheduleShape = Type.Union([
  Type.Null(),
  Type.Object({
    cron: Type.Optional(
      Type.String({ description: 'Minute, hour, day, month, weekday: 0 6 * * 1-5' }),
    ),
    timeZoneId: Type.Optional(Type.String({ description: 'Of the expression; UTC by default' })),
    everyMinutes: Type.Optional(Type.Integer({ description: 'Instead: so many minutes apart' })),
  }),
])

const FIELD = 'connector.schedule'
const CRON_LENGTH_MAX = 200
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
    next = await nextRunAfter(schedule, epochMs(0))
  } catch (error) {
    const problem = (error as Error).message.replace(/^CronPattern: /, '')
    refuseField(`${FIELD}.cron`, `must be minute, hour, day, month and weekday: ${problem}`)
  }
  if (next === undefined) refuseField(`${FIELD}.cron`, 'never comes')
  return schedule
}

/** The first time of a schedule after a moment; undefined when there is none. */
export async function nextRunAfter(
  schedule: ImportSchedule,
  after: EpochMs,
): Promise<EpochMs | undefined> {
  if ('everyMinutes' in schedule) return epochMs(after + schedule.everyMinutes * MINUTE_MS)
  const { Cron } = await import('croner')
  const { cron, timeZoneId } = schedule
  const next = new Cron(cron, { timezone: timeZoneId, mode: '5-part' }).nextRun(new Date(after))
  return next === null ? undefined : epochMs(next.getTime())
}
