/** Reads that wait: for what a page or a service comes to in its own time, however slow the machine is. */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Locator } from 'playwright-core'

/** A longer wait means a fault. A slow machine finishes earlier. */
export const PATIENCE_MS = 120_000
const LOOK_MS = 50

/** Repeats a check until it throws nothing, and answers its result; fails as the last one did when patience ends. */
export async function eventually<T>(
  check: () => T | Promise<T>,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (performance.now() > deadline) throw error
    }
    await pause(LOOK_MS)
  }
}

/** Waits until a condition holds. */
export async function comesTrue(holds: () => boolean | Promise<boolean>): Promise<void> {
  await eventually(async () => {
    assert.ok(await holds(), 'did not come true')
  })
}

/** Waits until a read answers what is expected, deeply compared. */
export async function settlesTo<T>(
  read: () => T | Promise<T>,
  expected: T,
  about = 'what came',
): Promise<void> {
  await eventually(async () => {
    assert.deepEqual({ [about]: await read() }, { [about]: expected })
  })
}

/** Waits until a read answers a text that has the pattern. */
export async function settlesLike(
  read: () => string | Promise<string>,
  pattern: RegExp,
): Promise<void> {
  await eventually(async () => {
    assert.match(await read(), pattern)
  })
}

/** Waits until the page has `count` of these elements. */
export async function shows(locator: Locator, count: number): Promise<void> {
  await settlesTo(() => locator.count(), count, `${locator}`)
}

/** A rectangle of the window. */
interface Place {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Where something is when nothing above it moves it any more. */
export async function restingPlace(locator: Locator): Promise<Place> {
  await locator.waitFor()
  let before: Place | null = null
  return await eventually(async () => {
    const last = before
    before = await locator.boundingBox()
    assert.ok(before !== null, `${locator} is not shown`)
    assert.deepEqual(before, last, `${locator} moves`)
    return before
  })
}
