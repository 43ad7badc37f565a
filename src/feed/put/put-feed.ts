import type { Principal } from '../../access/index.ts'
import {
  type Clock,
  DERIVE_TIMEOUT_MS_MAX,
  inSlices,
  type MemoryShare,
  Pacer,
  requireCreatable,
} from '../../base/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import type { KeptRoom, Removal, SampleBatch, SampleStore } from '../../store/index.ts'
import type { Retention } from '../expire/retention.ts'
import { requireCreation, requireStreams } from '../feed-rights.ts'
import type { AssignedTimes } from './assigned-times.ts'
import { bytesInJournal } from './bytes-in-journal.ts'
import { type Creation, createMissing } from './create-missing.ts'
import { bytesOfCreation, whileCreating } from './creation-memory.ts'
import type { IncomingSamples } from './incoming-samples.ts'
import { numericBatch, toBatch } from './place-samples.ts'
import {
  assignTimes,
  type Placing,
  prepareStream,
  requireAllLiving,
  requireStillThere,
  type StreamSamples,
  StreamsToPrepare,
} from './prepare-put.ts'
import type { PutOptions } from './put-options.ts'
import { findUnrecalled, recallTimes } from './recall-times.ts'
import { type ClaimedTimes, type RepeatablePut, RepeatableTimes } from './repeatable-times.ts'
import { findMissingRequested, type RequestedStreams } from './requested-streams.ts'
import { type MissingTarget, resolveTargets } from './resolve-targets.ts'
import { findAhead, type StreamsAhead, warnOfAhead } from './warn-of-ahead.ts'
import { warnOfTimes } from './warn-of-times.ts'

/**
 * Told of every batch that has become durable, before its call is answered. The columns belong to
 * the call: who keeps something of them copies it.
 */
export type SamplesLanded = (batch: SampleBatch, orgUid: string) => void

/** How much a call may derive. */
export interface DeriveLimits {
  readonly streamsMax: number
  /** When it must have ended, on the clock that never goes back. */
  readonly deadline: number
}

/**
 * Derives, before the call is answered, from a batch that has become durable. Whatever happens the
 * samples stay; what is not derived here is derived in the background. The columns belong to the call.
 */
export type DeriveLanded = (batch: SampleBatch, limits: DeriveLimits) => Promise<void>

/** What a put works with. */
export interface PutDeps {
  readonly catalog: Catalog
  readonly clock: Clock
  readonly derive: DeriveLanded
  readonly store: SampleStore
  readonly assignedTimes: AssignedTimes
  readonly claimedTimes: ClaimedTimes
  readonly onLanded: readonly SamplesLanded[]
  readonly retention: Retention
}

/** Samples to be put, read from any form of the call. */
export interface PutCommand {
  /** Handed over: once they are stored the put gives their columns to later calls. */
  readonly samples: IncomingSamples
  readonly options: PutOptions
  /** Streams whose last values the answer shall hold: those that are missing are made with the put's own. */
  readonly requested?: RequestedStreams
  /** One upload time per call. */
  readonly uploadTime: number
  /** What is known of a put that may be made again: its samples without a time are then where they were. */
  readonly repeat?: RepeatablePut
  /** What the call has of the memory budget; it grows while streams are created. */
  readonly share?: MemoryShare
  /** Tells the caller as of now, after a wait for that memory; refuses one whose rights have ended. */
  readonly renew?: () => Promise<Principal>
}

/**
 * Stores samples, all or none: resolves streams, checks rights, checks and places every sample,
 * creates what is missing, and resolves when the samples are durable, with what the caller should
 * hear of them. A call of usual length that
 * names only known streams waits for nothing but the store.
 */
export function putSamples(
  deps: PutDeps,
  principal: Principal,
  command: PutCommand,
): Promise<readonly string[]> {
  const { repeat } = command
  return repeat === undefined
    ? putOnce(deps, principal, command)
    : putRepeatable(deps, principal, { ...command, repeat })
}

async function putRepeatable(
  deps: PutDeps,
  principal: Principal,
  command: PutCommand & { readonly repeat: RepeatablePut },
): Promise<readonly string[]> {
  const { repeat } = command
  const repeated = new RepeatableTimes({ ...deps, streams: deps.catalog.index }, repeat)
  try {
    return await putOnce(deps, principal, { ...command, repeated })
  } finally {
    repeated.release()
  }
}

async function putOnce(
  deps: PutDeps,
  principal: Principal,
  command: PutCommand & { readonly repeated?: RepeatableTimes },
): Promise<readonly string[]> {
  const { catalog, store } = deps
  const { samples, options } = command
  const { orgUid } = principal
  const startedAt = options.deriveStreamsMax > 0 ? deps.clock.elapsed() : 0
  const following = catalog.catchUps.ensureFresh()
  if (following !== undefined) await following
  // Streams may have been found while the body was read.
  const resolvedAt = samples.generation ?? catalog.index.generation
  const allowed = findTargets(catalog, principal, command)
  const missing = allowed instanceof Promise ? await allowed : allowed
  const { uploadTime, repeated } = command
  const assignedTimes = repeated ?? deps.assignedTimes
  const placing: Placing = { uploadTime, isAutofill: options.isAutofill, assignedTimes }
  const ahead = samples.isTimed ? undefined : await assignMissing(deps, command, placing)
  const { generation } = catalog.index
  const toPrepare = new StreamsToPrepare(catalog.index, samples)
  const gathering = inSlices(samples.count, (from, until) => toPrepare.gather(from, until))
  if (gathering !== undefined) await gathering
  const isReady = missing.length === 0 && toPrepare.isEmpty && samples.isNumeric
  const held: HeldRoom = { room: undefined }
  let batch: SampleBatch
  try {
    batch = isReady
      ? numericBatch(samples, [])
      : await prepareBatch(deps, orgUid, {
          samples,
          missing,
          placing,
          generation,
          held,
          share: command.share,
          renew: command.renew,
          toPrepare: toPrepare.list(),
          onMadeForAnswer: command.requested?.onMade,
        })
    if (repeated !== undefined) {
      await repeated.recallPoints(batch)
      await repeated.keep()
      batch = repeated.withoutOutdated(batch)
    }
    // Some stream may be gone; from here to the journal nothing lets others in without a look.
    if (catalog.index.generation !== generation) requireAllLiving(catalog.index, batch)
    if (batch.count > 0 || batch.removals.length > 0) await store.append(batch, held.room)
  } finally {
    held.room?.release()
  }
  for (const tell of deps.onLanded) tell(batch, orgUid)
  if (options.deriveStreamsMax > 0) await deps.derive(batch, limitsOf(options, startedAt))
  if (catalog.catchUps.isShared) await requireStillThere(catalog, batch, resolvedAt)
  const { retention } = deps
  const warning = warnOfTimes({ retention, index: catalog.index }, batch, command.uploadTime)
  const warnings = warning instanceof Promise ? await warning : warning
  // After a refusal someone may still hold the columns; then the collector takes them.
  samples.release()
  if (ahead === undefined) return warnings
  return [...warnOfAhead(catalog.index, ahead, command.uploadTime), ...warnings]
}

/**
 * What is missing of the streams of a put, all of which the caller may put to or create; no promise where all are known.
 * Before it is refused it is looked whether another process has made what is missing.
 */
function findTargets(
  catalog: Catalog,
  principal: Principal,
  { samples, options, requested }: PutCommand,
): readonly MissingTarget[] | Promise<readonly MissingTarget[]> {
  if (samples.open.length === 0) {
    const allowing = requireStreams(catalog.index, principal, samples, 'PUT')
    return allowing === undefined ? [] : allowing.then(() => [])
  }
  const look = async () => {
    const missing = await resolveTargets(catalog.index, principal.orgUid, {
      samples,
      creation: options.creation,
      createMax: catalog.createMax,
    })
    const allowing = requireStreams(catalog.index, principal, samples, 'PUT')
    if (allowing !== undefined) await allowing
    if (requested !== undefined) {
      const { index, createMax } = catalog
      const asked = await findMissingRequested(index, principal.orgUid, requested, samples)
      requireCreatable(missing.length + asked.length, createMax)
      for (const target of asked) missing.push(target)
    }
    for (const target of missing) requireMissing(principal, target)
    return missing
  }
  return catalog.catchUps.lookAgain(look, () => true)
}

function limitsOf(options: PutOptions, startedAt: number): DeriveLimits {
  const timeoutMs = options.deriveTimeoutMs || DERIVE_TIMEOUT_MS_MAX
  return { streamsMax: options.deriveStreamsMax, deadline: startedAt + timeoutMs }
}

/** Assigns times to the samples that came without one; tells the streams whose times were ahead of the clock before. */
async function assignMissing(
  deps: PutDeps,
  command: PutCommand & { readonly repeated?: RepeatableTimes },
  placing: Placing,
): Promise<StreamsAhead | undefined> {
  const { samples, uploadTime, repeated } = command
  deps.assignedTimes.lane.require()
  await recallAssigned(deps, samples, command)
  // A put that may be made again finds free times from its upload on.
  const ahead =
    repeated === undefined ? findAhead(samples, deps.assignedTimes, uploadTime) : undefined
  await repeated?.prepare(samples, uploadTime)
  await assignTimes(deps.catalog.index, samples, placing)
  return ahead
}

async function recallAssigned(
  { catalog, clock, store, assignedTimes }: PutDeps,
  samples: IncomingSamples,
  { repeat, uploadTime }: PutCommand,
): Promise<void> {
  const unrecalled = findUnrecalled(catalog.index, samples, assignedTimes)
  if (unrecalled.length === 0) return
  // What others are assigned next is after the present, whenever this one came.
  const from = repeat?.isPast === true ? Math.max(uploadTime, clock.now()) : uploadTime
  await recallTimes({ store, assignedTimes }, unrecalled, from)
}

/** What a put that creates holds of the store's room until its samples are in. */
interface HeldRoom {
  room: KeptRoom | undefined
}

/** Places the samples that cannot be appended as they came, and creates what is missing. */
async function prepareBatch(
  { catalog, store }: PutDeps,
  orgUid: string,
  put: Omit<Creation, 'untyped'> & {
    readonly toPrepare: readonly StreamSamples[]
    readonly share: MemoryShare | undefined
    readonly renew: PutCommand['renew']
    readonly held: HeldRoom
    readonly onMadeForAnswer: Creation['onMadeForAnswer']
  },
): Promise<SampleBatch> {
  const { samples, missing, placing, generation, toPrepare, share, renew, held } = put
  const { onMadeForAnswer } = put
  const isTyped = ({ facts }: StreamSamples): boolean => facts.valueType !== ''
  const removals = await prepareTyped(samples, toPrepare.filter(isTyped), placing)
  const untyped = toPrepare.filter((stream) => !isTyped(stream))
  if (missing.length > 0 || untyped.length > 0) {
    // Streams without the samples that they were made for would stay, and take room that a full disk lacks.
    const about = { removals: removals.length, missing }
    held.room = await store.keepRoom(await bytesInJournal(samples, about))
    const creation = { samples, missing, placing, generation, untyped, onMadeForAnswer }
    const create = async (hasWaited: boolean) => {
      if (hasWaited && renew !== undefined) await requireStill(catalog, await renew(), creation)
      return createMissing(catalog, orgUid, creation)
    }
    const bytes = missing.length === 0 ? 0 : await bytesOfCreation(catalog, orgUid, missing)
    for (const removal of await whileCreating(share, bytes, create)) removals.push(removal)
  }
  return await toBatch(samples, removals)
}

/** Refuses a caller who has lost, while the call waited, the right to what it puts or creates. */
async function requireStill(
  { index }: Catalog,
  principal: Principal,
  { samples, missing }: Pick<Creation, 'samples' | 'missing'>,
): Promise<void> {
  await requireStreams(index, principal, samples, 'PUT')
  for (const target of missing) requireMissing(principal, target)
}

/** Refuses a caller who may not create what is missing. */
export function requireMissing(principal: Principal, target: MissingTarget): void {
  const { component, compId, streamId } = target
  const stream = streamId === undefined ? 'another stream' : `stream "${streamId}"`
  const what = component === undefined ? `component "${compId}"` : stream
  requireCreation(principal, what, component)
}

/** Checks and places the samples of every gathered stream that has a type. */
export async function prepareTyped(
  samples: IncomingSamples,
  toPrepare: readonly StreamSamples[],
  placing: Placing,
): Promise<Removal[]> {
  const removals: Removal[] = []
  const slices = new Pacer()
  for (const stream of toPrepare) {
    const prepared = await prepareStream(samples, stream, placing)
    for (const removal of prepared.removals) removals.push(removal)
    await slices.spend(stream.indexes.length)
  }
  return removals
}
