/**
 * How long those who wait for a turn may work in one turn of the loop, all together: eight long calls
 * that each do a little would else be a long time for everyone else.
 */
const WORK_MS_MAX = 5

/** Those who wait, in the order of their calls; as many immediates are queued as wait. */
const waiting: Array<() => void> = []
let isTurnBegun = false
let begunAtMs = 0

/**
 * Resolves after everything that waits on the event loop has had its turn, in the order of calls; in a
 * later turn when others have worked for long in that one.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    setImmediate(wakeNext)
  })
}

function wakeNext(): void {
  if (!isTurnBegun) {
    isTurnBegun = true
    begunAtMs = performance.now()
    // What is queued from here on runs in the next turn, this first.
    setImmediate(endTurn)
  }
  if (performance.now() - begunAtMs < WORK_MS_MAX) waiting.shift()?.()
  else setImmediate(wakeNext)
}

function endTurn(): void {
  isTurnBegun = false
}
