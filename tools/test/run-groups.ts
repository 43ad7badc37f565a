import { availableParallelism, totalmem } from 'node:os'
import { pipeline } from 'node:stream/promises'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { groupFiles } from './test-groups.ts'
import { isIn, isQuickTest } from './test-tiers.ts'

/** A test that takes longer hangs, also on a machine that others slow down; a file has many. */
const TEST_MS_MAX = 1_200_000
const FILE_MS_MAX = 2_400_000
/** Groups that run while the node of a cluster starts. */
const BEFORE_CLUSTER = 3

/** Runs test files in groups that share a process, and prints what they tell, up to the first failure when asked to; whether all passed. */
export async function runGroups(
  files: readonly string[],
  folder: string,
  isBailing: boolean,
): Promise<boolean> {
  const others = files.filter((file) => isQuickTest(file) || file.startsWith('test/programs/'))
  // Those that take longest first: begun last they would run alone.
  const groups = groupFiles(
    [
      ...files.filter((file) => isIn('browser', file)),
      ...files.filter((file) => isIn('process', file) || isIn('databases', file)),
      ...others.filter((file) => file.startsWith('test/')),
      ...others.filter((file) => file.startsWith('src/')),
    ],
    folder,
  )
  const onCluster = groupFiles(
    files.filter((file) => isIn('cluster', file)),
    folder,
  )
  // Files wait for disks, threads and browsers a quarter of their time: one more than there are cores, where there is memory.
  const spare = totalmem() >= 8 * 2 ** 30 ? 1 : 0
  const stop = new AbortController()
  // Not `node --test`, which puts files into an order of its own. Nothing runs a second time: what failed once has failed.
  const events = run({
    files: spread(groups, onCluster),
    concurrency: availableParallelism() + spare,
    timeout: FILE_MS_MAX,
    signal: stop.signal,
    // No module is behind a symbolic link. A thread that does not resolve links starts in about an eighth less CPU time.
    execArgv: [
      `--test-timeout=${TEST_MS_MAX}`,
      '--preserve-symlinks',
      // reused-threads.ts strips types by an experimental call.
      '--disable-warning=ExperimentalWarning',
    ],
  })
  let isGreen = true
  events.on('test:fail', () => {
    isGreen = false
    if (isBailing) stop.abort()
  })
  await pipeline(events, new spec(), process.stdout, { end: false })
  return isGreen
}

/** Puts one group of cluster tests behind each other group, because they mostly wait. The first groups run while the node starts. */
function spread(others: readonly string[], onCluster: readonly string[]): string[] {
  const order = others.slice(0, BEFORE_CLUSTER)
  const last = [...onCluster]
  for (const entry of others.slice(BEFORE_CLUSTER)) order.push(entry, ...last.splice(0, 1))
  return [...order, ...last]
}
