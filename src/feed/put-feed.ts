import { type Principal, requirePermit } from '../access/index.ts'
import { nextTurn } from '../base/index.ts'
import { type Catalog, VALUE_TYPES, type ValueType } from '../catalog/index.ts'
import type { Removal, SampleBatch, SampleStore, StreamHandle } from '../store/index.ts'
import type { AssignedTimes } from './assigned-times.ts'
import { createMissing } from './create-missing.ts'
import { requireCreation, requireStreams } from './feed-rights.ts'
import type { IncomingSamples } from './incoming-samples.ts'
import { toBatch } from './place-samples.ts'
import {
  assignTimes,
  gatherOddStreams,
  gatherOddStreamsInTurns,
  type Placing,
  prepareStream,
  SAMPLES_PER_TURN,
  type StreamSamples,
} from './prepare-put.ts'
import type { PutOptions } from './put-options.ts'
import { findUnrecalled, recallTimes } from './recall-times.ts'
import { type MissingTarget, resolveTargets } from './resolve-targets.ts'

/**
 * Told of every batch that has become durable, before its call is answered. The columns belong to
 * the call: who keeps something of them copies it.
 */
export type SamplesLanded = (batch: SampleBatch, orgUid: string) => void

/** What a put works with. */
export interface PutDeps {
  readonly catalog: Catalog
  readonly store: SampleStore
  readonly assignedTimes: AssignedTimes
  readonly onLanded: SamplesLanded
}

/** Samples to be put, read from any form of the call. */
export interface PutCommand {
  /** Handed over: once they are stored the put gives their columns to later calls. */
  readonly samples: IncomingSamples
  readonly options: PutOptions
  /** One upload time per call. */
  readonly uploadTime: number
}

/** A stream that gets its type from this put. */
interface Untyped {
  readonly stream: StreamSamples
  readonly handle: StreamHandle
  readonly valueType: ValueType
}

/**
 * Stores samples, all or none: resolves streams, checks rights, checks and places every sample,
 * creates what is missing, and resolves when the samples are durable.
 */
export async function putSamples(
  deps: PutDeps,
  principal: Principal,
  command: PutCommand,
): Promise<void> {
  const { catalog, store } = deps
  const { samples, options } = command
  const { orgUid } = principal
  // A call that names only known streams, as nearly all do, waits for nothing but the store.
  const missing =
    samples.open.length === 0
      ? []
      : await resolveTargets(catalog.index, orgUid, { samples, creation: options.creation })
  requireStreams(catalog.index, principal, samples, 'PUT')
  for (const target of missing) requireMissing(principal, target)
  const placing: Placing = {
    uploadTime: command.uploadTime,
    isAutofill: options.isAutofill,
    assignedTimes: deps.assignedTimes,
  }
  const unrecalled = findUnrecalled(catalog.index, samples, deps.assignedTimes)
  if (unrecalled.length > 0) await recallTimes(deps, unrecalled, command.uploadTime)
  assignTimes(catalog.index, samples, placing)
  const odd =
    samples.count <= SAMPLES_PER_TURN
      ? gatherOddStreams(catalog.index, samples)
      : await gatherOddStreamsInTurns(catalog.index, samples)
  const { removals, untyped } =
    odd.length === 0 ? { removals: [], untyped: [] } : await prepareOdd(samples, odd, placing)
  if (missing.length > 0) {
    removals.push(...(await createMissing(catalog, orgUid, { samples, missing, placing })))
  }
  if (untyped.length > 0) await giveTypes(catalog, samples, { untyped, placing })
  const batch = toBatch(samples, removals)
  if (batch.count > 0 || removals.length > 0) await store.append(batch)
  deps.onLanded(batch, orgUid)
  // After a refusal someone may still hold the columns; then the collector takes them.
  samples.release()
}

function requireMissing(principal: Principal, target: MissingTarget): void {
  const { component, compId, streamId } = target
  const stream = streamId === undefined ? 'another stream' : `stream "${streamId}"`
  const what = component === undefined ? `component "${compId}"` : stream
  requireCreation(principal, what)
  if (component !== undefined) requirePermit(principal, `component/${component.uid}/feed`, 'PUT')
}

/** Checks and places the samples of every existing stream that is not plain. */
async function prepareOdd(
  samples: IncomingSamples,
  odd: readonly StreamSamples[],
  placing: Placing,
): Promise<{ removals: Removal[]; untyped: Untyped[] }> {
  const removals: Removal[] = []
  const untyped: Untyped[] = []
  let looked = 0
  for (const stream of odd) {
    looked += stream.indexes.length
    if (looked > SAMPLES_PER_TURN) {
      looked = 0
      await nextTurn()
    }
    const prepared = await prepareStream(samples, stream, placing)
    const { valueType } = prepared
    for (const removal of prepared.removals) removals.push(removal)
    if (stream.handle !== 0 && stream.facts.valueType === '' && valueType !== '') {
      untyped.push({ stream, handle: stream.handle, valueType })
    }
  }
  return { removals, untyped }
}

async function giveTypes(
  catalog: Catalog,
  samples: IncomingSamples,
  work: { readonly untyped: readonly Untyped[]; readonly placing: Placing },
): Promise<void> {
  await catalog.setValueTypes(work.untyped)
  for (const { stream, handle, valueType } of work.untyped) {
    const actual = VALUE_TYPES[catalog.index.valueCodeOf(handle)]
    // Another put was faster and chose the other type: the values follow it.
    if (actual !== valueType) {
      const facts = { ...stream.facts, valueType: actual }
      await prepareStream(samples, { ...stream, facts }, work.placing)
    }
  }
}
