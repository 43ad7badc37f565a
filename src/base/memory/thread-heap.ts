import { setFlagsFromString } from 'node:v8'
import type { ResourceLimits } from 'node:worker_threads'

/** Three times the room that objects are made in, of which two are held. */
const YOUNG_MB = 3

/** The heap of a thread that makes little garbage: V8 would give it as much room for that as the main thread. */
export function littleGarbage(): ResourceLimits {
  // What the command line says of it is meant for the main thread, which has its heap by now, and would be
  // put over whatever a thread is given.
  setFlagsFromString('--max-semi-space-size=0')
  return { maxYoungGenerationSizeMb: YOUNG_MB }
}
