/** A piece of the composition root: what runs GS SQL. */
import type { Clock, Config, Log } from './base/index.ts'
import { SqlRunners } from './sql/index.ts'

/** The runners of GS SQL, closed with what is opened; none is started before it is needed. */
export function openSqlRunners(
  parts: { readonly config: Config; readonly clock: Clock; readonly log: Log },
  opened: AsyncDisposableStack,
): SqlRunners {
  const { clock, config, log } = parts
  const settings = {
    runnersMax: config.sqlRunners,
    seconds: config.sqlSeconds,
    memoryMb: config.sqlMemoryMb,
  }
  const runners = new SqlRunners({ settings, clock, log })
  opened.defer(() => runners.close())
  return runners
}
