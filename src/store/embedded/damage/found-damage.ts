/** Damage: how it is detected, reported, and kept. */
import type { Damage } from '../../ports/sample-port.ts'

/** A damage with the bytes it is about, which are put into quarantine. */
export interface FoundDamage {
  readonly damage: Damage
  readonly bytes: Uint8Array
}
