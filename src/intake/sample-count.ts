import { refuse, SAMPLES_PER_CALL_MAX } from '../base/plain.ts'

/** Stops a call that brings more samples than one call may. */
export function requireSampleCount(count: number): void {
  if (count > SAMPLES_PER_CALL_MAX) refuse('too_many_samples', { samplesMax: SAMPLES_PER_CALL_MAX })
}
