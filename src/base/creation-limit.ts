import { refuse } from './errors.ts'

/** Refuses a call that would create so many streams when one call may create fewer, and tells what to do. */
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
