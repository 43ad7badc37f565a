/** Stops on a state that only a mistake in Weir can produce; the text never reaches a client. */
export function invariant(condition: unknown, what: string): asserts condition {
  if (!condition) throw new Error(`BUG: ${what}`)
}

/** The end of an exhaustive `switch`: a value here means a case was forgotten. */
export function unreachable(value: never): never {
  throw new Error(`BUG: unexpected value ${String(value)}`)
}
