import type { KnownDamage, ScrubRunner, StorageSizes } from '../../store/index.ts'
import type { Identity } from '../identity.ts'
import type { Operators } from '../operators.ts'
import { type ActingCaller, actOf } from './acting-caller.ts'

/** Sources of the operators' storage report. */
export interface StorageParts {
  readonly operators: Operators
  readonly scrub: ScrubRunner
  readonly damage: KnownDamage
  readonly measure: () => Promise<StorageSizes>
  /** All metrics of the service, in Prometheus' text format. */
  readonly readMetrics: () => Promise<string>
  readonly identity: Pick<Identity, 'audit'>
}

/** Sizes, the last scrub and known damage, for operators. */
export async function readStorage(parts: StorageParts, { principal }: ActingCaller) {
  parts.operators.require(principal, 'storage', 'GET')
  const sizes = await parts.measure()
  return { sizes, scrub: parts.scrub.state, damaged: parts.damage.list() }
}

/** What /metrics shows, for operators wherever they are. */
export async function readServiceMetrics(
  parts: StorageParts,
  { principal }: ActingCaller,
): Promise<string> {
  parts.operators.require(principal, 'storage', 'GET')
  return await parts.readMetrics()
}

/** Begins to read and check everything that is stored, for operators; nobody waits for its end. */
export async function beginScrub(
  parts: StorageParts,
  by: ActingCaller,
): Promise<ScrubRunner['state']> {
  parts.operators.require(by.principal, 'storage', 'POST')
  await parts.identity.audit.record(actOf(by, { act: 'scrub_started', target: '', detail: '' }))
  void parts.scrub.checkNow()
  return parts.scrub.state
}
