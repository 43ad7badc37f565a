import { refuse } from '../../base/index.ts'

/** Refuses a call that would create so many streams when one call may create fewer. */
export function requireCreatable(count: number, createMax: number): void {
  if (count <= createMax) return
  refuse('bad_input', {
    what: `Cannot create more than ${createMax} streams in one call: send it in parts`,
  })
}
