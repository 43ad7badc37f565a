/** A piece of the composition root: what runs GS SQL. */
import { type Clock, type Config, type Log, metricText } from './base/index.ts'
import { SqlRunners } from './sql/index.ts'

/** The runners of GS SQL; none is started before it is needed. */
export function openSqlRunners(parts: {
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
}): SqlRunners {
  const { clock, config, log } = parts
  const settings = {
    runnersMax: config.sqlRunners,
    seconds: config.sqlSeconds,
    memoryMb: config.sqlMemoryMb,
  }
  return new SqlRunners({ settings, clock, log })
}

/** What /metrics tells of them. */
export function sqlMetrics({ figures }: SqlRunners): string {
  const { busy, ended, runners, waiting } = figures
  const outcomes = Object.entries(ended).map(
    ([name, count]) => [`outcome="${name}"`, count] as const,
  )
  return [
    metricText('weir_sql_runners', 'gauge', 'Processes that run GS SQL.', runners),
    metricText('weir_sql_runners_busy', 'gauge', 'Of these, those that work.', busy),
    metricText('weir_sql_waiting', 'gauge', 'Runs that wait for a process.', waiting),
    metricText('weir_sql_runs_total', 'counter', 'Runs by how they ended.', outcomes),
  ].join('')
}
