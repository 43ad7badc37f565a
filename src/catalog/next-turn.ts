/** Lets the event loop serve others before a long loop goes on. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
