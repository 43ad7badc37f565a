import type { CreationRules } from '../../catalog/create/index.ts'

/** What a put says beside its samples. */
export interface PutOptions {
  /** How missing components and streams are created; not looked at when nothing is missing. */
  readonly creation: CreationRules
  /** Whether missing intervals inside the uploaded span of an interval stream become gaps. */
  readonly isAutofill: boolean
  /** The most precedent expression streams to derive within the call. */
  readonly deriveStreamsMax: number
  /** The time the call may take, derivation included; 0: no limit of its own. */
  readonly deriveTimeoutMs: number
}
