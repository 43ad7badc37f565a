/**
 * What is done once all tests of this process are over, whichever file began it. The entry of a group of files
 * imports this first, so that it belongs to none of them.
 */
import { after } from 'node:test'
import { killStartedProcesses } from '../../tools/test/process-tree.ts'

/** How long what tests have closed may take to end, also on a machine that others slow down. */
const LEFT_OPEN_MS_MAX = Number(process.env.WEIR_TEST_LEFT_OPEN_MS ?? 60_000)

/** Taken before a test can replace it by a clock of its own. */
const { setTimeout } = globalThis

const acts: Array<() => Promise<void>> = []
let isOver = false

/** Remembers something to be done at the end. */
export function atEnd(act: () => Promise<void>): void {
  acts.push(act)
}

after(async () => {
  // The runner would wait without a limit for a process that something keeps alive once its tests are over.
  const limit = setTimeout(() => {
    console.error(
      `Something that a test has left open keeps its process alive: ${process.getActiveResourcesInfo()}`,
    )
    process.exit(1)
  }, LEFT_OPEN_MS_MAX)
  await Promise.all(acts.splice(0).map((act) => act()))
  isOver = true
  limit.unref()
})

// The runner ends a group by a signal. By itself a signal ends no child and removes no folder.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
  process.once(signal, () => process.exit(1))

// A test that ends the process takes those behind it along, of other files too, and node:test finds nothing wrong with 0.
process.once('exit', () => {
  killStartedProcesses()
  if (isOver) return
  console.error('The process of these tests ended before they did')
  process.exitCode = 1
})
