import { call } from '../../../api/client.ts'
import { recordKey } from '../../../api/records.ts'
import { useQuery } from '../../../api/use-query.ts'
import { FormAlert } from '../../../ui/field.tsx'
import { Moment } from '../../../ui/time/moment.tsx'
import { useQuiet } from '../../../ui/use-quiet.ts'
import styles from '../connect.module.css'
import type { Connector } from '../connector-types.ts'
import { scheduleWords } from './schedule-words.ts'

/** A schedule moves on by itself. */
const REFRESH_MS = 10_000

interface NextRunsProps {
  readonly connector: Connector
  /** Whether the service has the schedule as it is shown. */
  readonly isSaved: boolean
}

/** The schedule of an import in words, with the times that the service would run it at. */
export function NextRuns({ connector, isSaved }: NextRunsProps) {
  const schedule = connector.schedule ?? null
  const { error, nextRuns } = useCheck(schedule)
  const noted = useNoted(connector.uid, !isSaved || schedule === null)
  // An interval is counted from the previous run, which only a saved import has.
  const isCounted = schedule !== null && 'everyMinutes' in schedule
  const next = noted ?? (isCounted ? undefined : nextRuns[0])
  const after = isCounted ? undefined : nextRuns.find((time) => next !== undefined && time > next)
  const zone = schedule !== null && 'cron' in schedule ? schedule.timeZoneId : undefined
  if (error !== undefined) {
    return (
      <div className={styles.whole}>
        <FormAlert>{error}</FormAlert>
      </div>
    )
  }
  return (
    <p className={`${styles.soft} ${styles.whole}`}>
      Runs {scheduleWords(schedule)}
      {next !== undefined && connector.isEnabled && (
        <>
          ; next: <Moment time={next} zone={zone} />
        </>
      )}
      {after !== undefined && connector.isEnabled && (
        <>
          , then <Moment time={after} zone={zone} />
        </>
      )}
      .
    </p>
  )
}

/** What the service makes of a schedule, while somebody chooses it. */
function useCheck(schedule: Connector['schedule']) {
  const shown = JSON.stringify(schedule)
  const text = useQuiet(shown)
  const { data } = useQuery(
    ['connector', 'schedule_check', text],
    (signal) =>
      call('post', '/api/connector/schedule_check', {
        body: { schedule: JSON.parse(text) },
        signal,
      }),
    { isOff: schedule === null || text === 'null', refreshMs: REFRESH_MS },
  )
  if (data === undefined || text !== shown) return { error: undefined, nextRuns: [] }
  const { error, nextRuns } = data.check
  return { error: error?.message, nextRuns }
}

/** When the service runs it next: a run that could not reach its database is tried again before its time. */
function useNoted(uid: string, isOff: boolean): number | undefined {
  const { data } = useQuery(
    recordKey('connector', uid, 'next'),
    (signal) => call('get', '/api/connector/{uid}', { path: { uid }, signal }),
    { isOff: isOff || uid === '', refreshMs: REFRESH_MS },
  )
  return isOff ? undefined : (data?.connector.nextRun ?? undefined)
}
