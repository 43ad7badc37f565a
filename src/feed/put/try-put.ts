import type { Principal } from '../../access/index.ts'
import { inSlices } from '../../base/index.ts'
import { requireStreams } from '../feed-rights.ts'
import { TriedTimes } from './assigned-times.ts'
import { tryMissing, type WouldCreate } from './create-missing.ts'
import { bytesOfCreation, whileCreating } from './creation-memory.ts'
import { assignTimes, type Placing, type StreamSamples, StreamsToPrepare } from './prepare-put.ts'
import { type PutCommand, type PutDeps, prepareTyped, requireMissing } from './put-feed.ts'
import { resolveTargets } from './resolve-targets.ts'

/** What a put would do. */
export interface PutTrial {
  /** Streams that it would create, those that templates bring aside. */
  readonly created: readonly WouldCreate[]
}

/**
 * Does what a put does up to where something is made or stored: refuses what that refuses, tells what it would
 * create, and changes nothing. The samples are handed over as to a put.
 */
export async function tryPut(
  { catalog }: Pick<PutDeps, 'catalog'>,
  principal: Principal,
  { samples, options, uploadTime, share }: PutCommand,
): Promise<PutTrial> {
  const { index } = catalog
  const { orgUid } = principal
  const { creation, isAutofill } = options
  const { createMax } = catalog
  const missing = await resolveTargets(index, orgUid, { samples, creation, createMax })
  await requireStreams(index, principal, samples, 'PUT')
  for (const target of missing) requireMissing(principal, target)
  const placing: Placing = { uploadTime, isAutofill, assignedTimes: new TriedTimes() }
  await assignTimes(index, samples, placing)
  const { generation } = index
  const toPrepare = new StreamsToPrepare(index, samples)
  await inSlices(samples.count, (from, until) => toPrepare.gather(from, until))
  const streams = toPrepare.list()
  const isTyped = ({ facts }: StreamSamples): boolean => facts.valueType !== ''
  await prepareTyped(samples, streams.filter(isTyped), placing)
  const untyped = streams.filter((stream) => !isTyped(stream))
  const bytes = missing.length === 0 ? 0 : await bytesOfCreation(catalog, orgUid, missing)
  const trial = { samples, missing, placing, generation, untyped }
  const created =
    missing.length === 0 && untyped.length === 0
      ? []
      : await whileCreating(share, bytes, () => tryMissing(catalog, orgUid, trial))
  samples.release()
  return { created }
}
