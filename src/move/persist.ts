import { setTimeout as pause } from 'node:timers/promises'
import { Refusal } from '../base/index.ts'

const TRIES_MAX = 30
const PAUSE_MS = 2_000

/** What passes by itself: a cluster that is away, and stores with too much to do. */
const PASSING: readonly string[] = ['store_away', 'overloaded']

/** Repeats a step, which may be repeated, for a minute while a store cannot take it at the moment. */
export async function persist<T>(step: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await step()
    } catch (error) {
      const mayPass = error instanceof Refusal && PASSING.includes(error.code)
      if (!mayPass || tries === TRIES_MAX) throw error
      await pause(PAUSE_MS)
    }
  }
}
