/** A process with a runner in an endless query; says which processes it has started, and waits to be killed. */
import { createLog, systemClock } from '../../src/base/index.ts'
import { SqlRunners } from '../../src/sql/index.ts'
import { descendantsOf, eventually, gather, programOf } from './sql-runs.ts'

const runners = new SqlRunners({
  settings: { runnersMax: 1, seconds: 600, memoryMb: 256 },
  clock: systemClock,
  log: createLog({ level: 'silent' }),
})
const endless =
  'WITH RECURSIVE t(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM t) SELECT count(*) FROM t'
gather(runners, programOf(endless)).catch(() => {})
await eventually(() => runners.figures.busy === 1, 'the run')
process.stdout.write(`${descendantsOf(process.pid).join(' ')}\n`)
