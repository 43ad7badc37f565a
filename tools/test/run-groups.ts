import { availableParallelism, totalmem } from 'node:os'
import { pipeline } from 'node:stream/promises'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { setTimeout as pause } from 'node:timers/promises'
import { killStartedProcesses, startedProcesses } from './process-tree.ts'
import { groupFiles } from './test-groups.ts'
import { isIn } from './test-tiers.ts'

const isNightly = process.env.WEIR_TEST_ROUNDS === 'nightly'
/** A test that takes longer hangs, also on a machine that others slow down. */
const TEST_MS_MAX = isNightly ? 1_200_000 : 600_000
/** A group has several files of many tests. Ten nightly rounds of cluster faults take hours. */
const GROUP_MS_MAX = isNightly ? 21_600_000 : 2_400_000
/** After so long without the end of any test, all groups are killed: a blocked thread notices neither timers nor signals. */
const SILENCE_MS_MAX = Number(process.env.WEIR_TEST_SILENCE_MS ?? TEST_MS_MAX + 120_000)
/** How long groups that are stopped may take to remove their folders; the runner kills what is left. */
const STOP_MS_MAX = 5_000
const LOOK_MS = 50
/** Groups that run while the node of a cluster starts. */
const BEFORE_CLUSTER = 3

/**
 * Runs test files in groups that share a process, prints what they report, and answers whether all passed. It ends early
 * at `stop`, which the first failure triggers when `isBailing`.
 */
export async function runGroups(
  files: readonly string[],
  folder: string,
  isBailing: boolean,
  stop: AbortController,
): Promise<boolean> {
  const groups = groupFiles(
    files.filter((file) => !isIn('cluster', file)).toSorted((a, b) => rankOf(a) - rankOf(b)),
    folder,
  )
  const onCluster = groupFiles(
    files.filter((file) => isIn('cluster', file)),
    folder,
  )
  // Files wait for disks, threads and browsers a quarter of their time: one more than there are cores, where there is memory.
  const spare = totalmem() >= 8 * 2 ** 30 ? 1 : 0
  // Not `node --test`, which puts files into an order of its own. Nothing runs a second time: what failed once has failed.
  const events = run({
    files: spread(groups, onCluster),
    concurrency: availableParallelism() + spare,
    timeout: GROUP_MS_MAX,
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
  const untested = watchUntested(events, files)
  killSilent(events)
  stop.signal.addEventListener('abort', () => setTimeout(killStartedProcesses, STOP_MS_MAX).unref())
  await pipeline(events, new spec(), process.stdout, { end: false })
  if (stop.signal.aborted) {
    await untilStopped()
    return false
  }
  if (untested.size === 0) return isGreen
  console.error(`\nNo test ran in ${[...untested].join(', ')}`)
  return false
}

function killSilent(events: ReturnType<typeof run>): void {
  const limit = setTimeout(() => {
    console.error(
      `No test has ended for ${SILENCE_MS_MAX / 1_000} s: killing all tests that still run`,
    )
    killStartedProcesses()
  }, SILENCE_MS_MAX).unref()
  // Printed at once, while the reports of a group wait for those of earlier groups.
  events.on('test:complete', () => limit.refresh())
}

async function untilStopped(): Promise<void> {
  const deadline = performance.now() + STOP_MS_MAX
  while (startedProcesses().length > 0 && performance.now() < deadline) await pause(LOOK_MS)
}

/** The files of which no test has been reported yet: a file that does not run must not look like one that passes. */
function watchUntested(events: ReturnType<typeof run>, files: readonly string[]): Set<string> {
  const untested = new Set(files)
  let tests = 0
  const note = ({ name, nesting }: { name: string; nesting: number }) => {
    if (nesting > 0) {
      tests += 1
      return
    }
    // Tests are reported before the suite of their file.
    if (tests > 0) untested.delete(name)
    tests = 0
  }
  events.on('test:pass', note).on('test:fail', note)
  return untested
}

/** Files that take longest start first: started last, they would run alone. */
function rankOf(file: string): number {
  if (isIn('browser', file)) return 0
  if (file.startsWith('test/slow/')) return 1
  return file.startsWith('src/') ? 3 : 2
}

/** Puts one group of cluster tests behind each other group, because they mostly wait. The first groups run while the node starts. */
function spread(others: readonly string[], onCluster: readonly string[]): string[] {
  const order = others.slice(0, BEFORE_CLUSTER)
  const last = [...onCluster]
  for (const entry of others.slice(BEFORE_CLUSTER)) order.push(entry, ...last.splice(0, 1))
  return [...order, ...last]
}
