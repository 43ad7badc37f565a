import { refuse } from './errors.ts'

/** Rejects a call that would create more records than allowed, and says what to do. */
export function requireCreatable(
  count: number,
  createMax: number,
  advice = 'Split the request',
): void {
  if (count <= createMax) return
  refuse('bad_input', {
    what: `Cannot create more than ${createMax} streams in one request. ${advice}`,
  })
}
