import type { Principal } from '../../access/index.ts'
import {
  type Clock,
  DERIVE_TIMEOUT_MS_MAX,
  inSlices,
  type MemoryShare,
  Pacer,
  requireCreatable,
} from '../../base/index.ts'
import type { CreationRules } from '../../catalog/create/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import type { KeptRoom, Removal, SampleBatch, SampleStore } from '../../store/index.ts'
import type { Retention } from '../expire/retention.ts'
import { requireCreation, requireStreams } from '../feed-rights.ts'
import { type AssignedTimes, findUnrecalled, recallTimes } from './assigned-times.ts'
import { type Creation, createMissing, tryMissing, type WouldCreate } from './create-missing.ts'
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
import { bytesInJournal, bytesOfCreation, whileCreating } from './put-room.ts'
import { findAhead, type StreamsAhead, warnOfAhead, warnOfTimes } from './put-warnings.ts'
import { type ClaimedTimes, type RepeatablePut, RepeatableTimes } from './repeatable-times.ts'
import { findMissingRequested, type RequestedValues } from './requested-values.ts'
import { type MissingTarget, resolveTargets } from './resolve-targets.ts'

/**
 * Called with every batch that has become durable, before its call is answered. The columns belong to
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

/** What puts work with. */
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

/** Samples to be put, read from any form of the call. */
export interface PutCommand {
  /** Handed over: once they are stored the put gives their columns to later calls. */
  readonly samples: IncomingSamples
  readonly options: PutOptions
  /** Streams whose last values the answer shall hold: those that are missing are made with the put's own. */
  readonly requested?: RequestedValues
  /** One upload time per call. */
  readonly uploadTime: number
  /** What is known of a put that may be made again: its samples without a time are then where they were. */
  readonly repeat?: RepeatablePut
  /** What the call has of the memory budget; it grows while streams are created. */
  readonly share?: MemoryShare
  /** Re-reads the caller's rights after a wait for memory; refuses a caller whose rights have ended. */
  readonly renew?: () => Principal | Promise<Principal>
}

/** What a put would do. */
export interface PutTrial {
  /** Streams that it would create, those that templates bring aside. */
  readonly created: readonly WouldCreate[]
}

/**
 * One put. It resolves streams and checks rights, assigns times, checks and places every sample, creates what is
 * missing, appends to the journal, derives, and notifies. Samples are stored all or none. A call of usual length that
 * names only known streams waits for nothing but the store.
 */
export class PutCall implements Creation {
  readonly samples: IncomingSamples
  readonly placing: Placing
  missing: readonly MissingTarget[] = []
  untyped: readonly StreamSamples[] = []
  generation = 0
  /** Streams that were created for the answer alone. */
  madeForAnswer: readonly string[] = []
  readonly #deps: PutDeps
  readonly #command: PutCommand
  readonly #orgUid: string
  readonly #repeated: RepeatableTimes | undefined
  #principal: Principal
  /** The streams whose samples need more than an append, as far as they were looked at. */
  #toPrepare: StreamsToPrepare | undefined
  /** What a put that creates holds of the store's room until its samples are in. */
  #room: KeptRoom | undefined
  #ahead: StreamsAhead | undefined

  /** `times`: where a trial takes its times from; a put takes those of the process, or those it had before. */
  constructor(
    deps: PutDeps,
    principal: Principal,
    command: PutCommand,
    times?: Placing['assignedTimes'],
  ) {
    const { samples, options, uploadTime, repeat } = command
    this.samples = samples
    this.#deps = deps
    this.#principal = principal
    this.#command = command
    this.#orgUid = principal.orgUid
    this.#repeated =
      repeat === undefined
        ? undefined
        : new RepeatableTimes({ ...deps, streams: deps.catalog.index }, repeat)
    const assignedTimes = times ?? this.#repeated ?? deps.assignedTimes
    this.placing = { uploadTime, isAutofill: options.isAutofill, assignedTimes }
  }

  /** Stores the samples; resolves, once they are durable, with what the caller should hear of them. */
  async run(): Promise<readonly string[]> {
    const { catalog, clock, derive, onLanded, retention, store } = this.#deps
    const { options, uploadTime } = this.#command
    const startedAt = options.deriveStreamsMax > 0 ? clock.elapsed() : 0
    try {
      const following = catalog.catchUps.ensureFresh()
      if (following !== undefined) await following
      // Streams may have been found while the body was read.
      const resolvedAt = this.samples.generation ?? catalog.index.generation
      const resolving = this.#resolve()
      if (resolving !== undefined) await resolving
      if (!this.samples.isTimed) await this.#assignTimes()
      const gathering = this.#gather()
      if (gathering !== undefined) await gathering
      let batch = this.#isReady ? numericBatch(this.samples, []) : await this.#prepare()
      if (this.#repeated !== undefined) {
        await this.#repeated.recallPoints(batch)
        await this.#repeated.keep()
        batch = this.#repeated.withoutOutdated(batch)
      }
      // Some stream may be gone; from here to the journal nothing lets others in without a look.
      if (catalog.index.generation !== this.generation) requireAllLiving(catalog.index, batch)
      if (batch.count > 0 || batch.removals.length > 0) await store.append(batch, this.#room)
      this.#releaseRoom()
      for (const notify of onLanded) notify(batch, this.#orgUid)
      if (options.deriveStreamsMax > 0) await derive(batch, limitsOf(options, startedAt))
      if (catalog.catchUps.isShared) await requireStillThere(catalog, batch, resolvedAt)
      const looked = { retention, index: catalog.index }
      const warning = warnOfTimes(looked, batch, uploadTime)
      const warnings = warning instanceof Promise ? await warning : warning
      // After a refusal someone may still hold the columns; then the collector takes them.
      this.samples.release()
      if (this.#ahead === undefined) return warnings
      return [...warnOfAhead(catalog.index, this.#ahead, uploadTime), ...warnings]
    } finally {
      this.#releaseRoom()
      this.#repeated?.release()
    }
  }

  #releaseRoom(): void {
    this.#room?.release()
    this.#room = undefined
  }

  /** Takes the steps of a put up to where something is made or stored: refuses what a put refuses, and changes nothing. */
  async try(): Promise<PutTrial> {
    const { catalog } = this.#deps
    this.missing = await this.#findMissing()
    await assignTimes(catalog.index, this.samples, this.placing)
    await this.#gather()
    await this.#prepareTyped()
    const created = this.#isCreating
      ? await this.#whileCreating(() => tryMissing(catalog, this.#orgUid, this))
      : []
    this.samples.release()
    return { created }
  }

  /**
   * Finds the streams, all of which the caller may put to or create; no promise where all are known.
   * Before a put is refused, the commits of other processes are read: one may have made what is missing.
   */
  #resolve(): Promise<void> | undefined {
    const { catalog } = this.#deps
    if (this.samples.open.length === 0) return this.#authorize()
    const look = async () => {
      this.missing = await this.#findMissing()
    }
    return catalog.catchUps.lookAgain(look, () => true)
  }

  async #findMissing(): Promise<readonly MissingTarget[]> {
    const { index, createMax } = this.#deps.catalog
    const { samples } = this
    const { options, requested } = this.#command
    const { creation } = options
    const missing = await resolveTargets(index, this.#orgUid, { samples, creation, createMax })
    const allowing = this.#authorize()
    if (allowing !== undefined) await allowing
    if (requested !== undefined) {
      const asked = await findMissingRequested(index, this.#orgUid, requested, samples)
      requireCreatable(missing.length + asked.length, createMax)
      for (const target of asked) missing.push(target)
    }
    for (const target of missing) requireMissing(this.#principal, target)
    return missing
  }

  #authorize(): Promise<void> | undefined {
    return requireStreams(this.#deps.catalog.index, this.#principal, this.samples, 'PUT')
  }

  /** Assigns times to the samples that came without one, and notes the streams whose times were ahead of the clock. */
  async #assignTimes(): Promise<void> {
    const { catalog, assignedTimes } = this.#deps
    const { uploadTime } = this.#command
    assignedTimes.assignable.require()
    await this.#recallTimes()
    // A put that may be made again finds free times from its upload on.
    if (this.#repeated !== undefined) await this.#repeated.prepare(this.samples, uploadTime)
    else this.#ahead = findAhead(this.samples, assignedTimes, uploadTime)
    await assignTimes(catalog.index, this.samples, this.placing)
  }

  async #recallTimes(): Promise<void> {
    const { catalog, clock, assignedTimes } = this.#deps
    const { repeat, uploadTime } = this.#command
    const unrecalled = findUnrecalled(catalog.index, this.samples, assignedTimes)
    if (unrecalled.length === 0) return
    // What others are assigned next is after the present, whenever this one came.
    const from = repeat?.isPast === true ? Math.max(uploadTime, clock.now()) : uploadTime
    await recallTimes(this.#deps, unrecalled, from)
  }

  /** Settles plain numbers, and gathers the streams whose samples need more. */
  #gather(): Promise<void> | undefined {
    const { index } = this.#deps.catalog
    this.generation = index.generation
    const toPrepare = new StreamsToPrepare(index, this.samples)
    this.#toPrepare = toPrepare
    return inSlices(this.samples.count, (from, until) => toPrepare.gather(from, until))
  }

  /** Whether the samples can be appended as they came. */
  get #isReady(): boolean {
    const isPlain = this.missing.length === 0 && this.#toPrepare?.isEmpty === true
    return isPlain && this.samples.isNumeric
  }

  /** Places the samples that cannot be appended as they came, and creates what is missing. */
  async #prepare(): Promise<SampleBatch> {
    const { store } = this.#deps
    const { samples, missing } = this
    const removals = await this.#prepareTyped()
    if (this.#isCreating) {
      // Streams without the samples that they were made for would stay, and take room that a full disk lacks.
      const about = { removals: removals.length, missing }
      this.#room = await store.keepRoom(await bytesInJournal(samples, about))
      for (const removal of await this.#whileCreating(() => this.#create())) removals.push(removal)
    }
    return await toBatch(samples, removals)
  }

  /** Checks and places the samples of the gathered streams that have a type; the others are left for the creation. */
  async #prepareTyped(): Promise<Removal[]> {
    const gathered = this.#toPrepare?.list() ?? []
    this.untyped = gathered.filter((stream) => !isTyped(stream))
    const removals: Removal[] = []
    const pacer = new Pacer()
    for (const stream of gathered) {
      if (!isTyped(stream)) continue
      const prepared = await prepareStream(this.samples, stream, this.placing)
      for (const removal of prepared.removals) removals.push(removal)
      await pacer.spend(stream.indexes.length)
    }
    return removals
  }

  get #isCreating(): boolean {
    return this.missing.length > 0 || this.untyped.length > 0
  }

  /** Creates while the call holds the memory for it; a caller who has waited for that is looked at once more. */
  async #whileCreating<T>(create: () => Promise<T>): Promise<T> {
    const { catalog } = this.#deps
    const { share, renew } = this.#command
    const { missing } = this
    const bytes = missing.length === 0 ? 0 : await bytesOfCreation(catalog, this.#orgUid, missing)
    return await whileCreating(share, bytes, async (hasWaited) => {
      if (hasWaited && renew !== undefined) {
        this.#principal = await renew()
        await this.#authorize()
        for (const target of missing) requireMissing(this.#principal, target)
      }
      return await create()
    })
  }

  async #create(): Promise<readonly Removal[]> {
    const { catalog } = this.#deps
    const { removals, madeForAnswer } = await createMissing(catalog, this.#orgUid, this)
    this.madeForAnswer = madeForAnswer
    return removals
  }
}

function isTyped({ facts }: StreamSamples): boolean {
  return facts.valueType !== ''
}

function limitsOf(options: PutOptions, startedAt: number): DeriveLimits {
  const timeoutMs = options.deriveTimeoutMs || DERIVE_TIMEOUT_MS_MAX
  return { streamsMax: options.deriveStreamsMax, deadline: startedAt + timeoutMs }
}

/** Refuses a caller who may not create what is missing. */
function requireMissing(principal: Principal, target: MissingTarget): void {
  const { component, compId, streamId } = target
  const stream = streamId === undefined ? 'another stream' : `stream "${streamId}"`
  const what = component === undefined ? `component "${compId}"` : stream
  requireCreation(principal, what, component)
}
