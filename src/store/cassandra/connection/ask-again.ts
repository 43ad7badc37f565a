/** A statement that is asked again, as far as that may help within the time that its call has. */
import { setTimeout as pause } from 'node:timers/promises'
import { isLate, isUndone } from './away.ts'

/** The driver picks a node at random: with one of three cut off, one statement in 700 meets only that one. */
const UNDONE_TRIES = 6
/** A call may take 20 s, and some run two statements one after the other. Nodes give up a write after 2 s, a read after 5 s. */
const REPEATED_MS_MAX = 8_000
const PAUSE_MS = 100

/** How a statement may be asked again. */
interface AskOptions {
  /** Whether it may be made twice. */
  readonly isIdempotent: boolean
  /** Milliseconds that never go back. */
  readonly elapsed?: () => number
}

/** Asks another node where the chosen one did nothing, and again where nodes were late and a repetition does no harm. */
export async function askAgain<T>(
  ask: () => Promise<T>,
  { isIdempotent, elapsed = () => performance.now() }: AskOptions,
): Promise<T> {
  const deadline = elapsed() + REPEATED_MS_MAX
  for (let tries = 1; ; tries++) {
    try {
      return await ask()
    } catch (error) {
      if (elapsed() > deadline) throw error
      if (isUndone(error) && tries < UNDONE_TRIES) continue
      if (!isIdempotent || !isLate(error)) throw error
      await pause(PAUSE_MS)
    }
  }
}
