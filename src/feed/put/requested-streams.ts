/** The streams whose last values a put shall answer, before anything is made or stored. */

import { type Principal, requirePermit } from '../../access/index.ts'
import { Pacer } from '../../base/index.ts'
import type { CreationRules } from '../../catalog/create/index.ts'
import type { StreamIndex } from '../../catalog/index.ts'
import { feedName, requireCreation, requireStream } from '../feed-rights.ts'
import { requireDefinition } from './create-missing.ts'
import type { IncomingSamples } from './incoming-samples.ts'
import { type MissingTarget, STREAM_WORK } from './resolve-targets.ts'

/** The streams of one component whose last values a put shall answer. */
export interface RequestedValues {
  readonly compId: string
  readonly streamIds: readonly string[]
  readonly creation: CreationRules
}

/** Refuses, before anything is stored, when the caller may not read or create a requested stream. */
export async function requireRequested(
  index: StreamIndex,
  principal: Principal,
  requested: RequestedValues,
  samples: IncomingSamples,
): Promise<void> {
  const component = index.resolveComponent(principal.orgUid, requested.compId)
  const put = namesOf(samples)
  const slices = new Pacer()
  const shown = feedName(requested.compId)
  for (const streamId of requested.streamIds) {
    await slices.spend(STREAM_WORK)
    const handle = component === undefined ? 0 : index.resolveStream(component, streamId)
    if (handle !== 0) {
      requireStream(index, principal, handle, { method: 'GET', shown })
      continue
    }
    if (component === undefined) requirePermit(principal, 'component/*/feed', 'GET')
    else requirePermit(principal, `component/${component.uid}/feed`, 'GET', shown)
    if (put.has(streamId)) continue
    requireCreation(principal, `stream "${streamId}"`, component)
    requireDefinition(requested.creation)
  }
}

/** Those that are missing and that no sample of the put names: made with it, or nothing of it is stored. */
export async function findMissingRequested(
  index: StreamIndex,
  orgUid: string,
  { compId, streamIds, creation }: RequestedValues,
  samples: IncomingSamples,
): Promise<MissingTarget[]> {
  const component = index.resolveComponent(orgUid, compId)
  const put = namesOf(samples)
  const slices = new Pacer()
  const missing: MissingTarget[] = []
  for (const streamId of streamIds) {
    await slices.spend(STREAM_WORK)
    if (put.has(streamId) || index.resolve(orgUid, compId, streamId) !== 0) continue
    missing.push({ component, compId, streamId, creation, samples: [], isRequested: true })
  }
  return missing
}

function namesOf(samples: IncomingSamples): ReadonlySet<string | undefined> {
  return new Set(samples.open.map(({ streamId }) => streamId))
}
