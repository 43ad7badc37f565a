/**
 * Exports in the audit log: who took data out, once for each caller, target and hour, with a count.
 * Anyone who reads waits for nothing: a note is a look into a map, and entries are written behind it.
 */
import { type Clock, type Log, nextIteration, Refusal } from '../base/index.ts'
import {
  CatalogConflict,
  type CatalogStore,
  commitDocuments,
  type PutDocument,
} from '../store/index.ts'
import type { ActingCaller } from './administer/acting-caller.ts'
import { type AuditLog, actorName } from './audit-log.ts'

/** Data that left the service in one answer, or in a part of one. */
export interface ExportedData {
  /** What stands for the answer, where data of it is noted part by part; without it a note is an answer. */
  readonly answer?: object
  /** Samples as CSV, samples as JSON, or a file. */
  readonly form: 'csv' | 'json' | 'file'
  /** The component of which was read, and its stream when the call named one. */
  readonly componentUid: string
  readonly compId: string
  readonly streamId: string | undefined
  /** Samples, or bytes of a file. */
  readonly amount: number
}

/** Samples of one component that a person reads as JSON within an hour before it is an export: ten full answers. */
const JSON_SAMPLES_FREE = 10_000
/** Components of one caller and form that are distinguished within an hour; the rest is one entry. */
const TARGETS_PER_CALLER_MAX = 100
/** Entries of one hour that are kept in memory. */
const EXPORTS_MAX = 20_000
/** Entries that are being written at once: the catalog joins them into few commits. */
const WRITTEN_AT_ONCE = 100
/** Streams of a component that an entry distinguishes. */
const STREAMS_MAX = 100
const HOUR_MS = 3_600_000
/** How often counts that have grown are written: what a kill loses of them. */
const UPDATE_MS = 60_000

/** What one caller has taken of one component, in one form and within one hour. */
interface Export {
  readonly hour: number
  readonly by: ActingCaller
  readonly form: ExportedData['form']
  /** Undefined in the entry for all components beyond those that are distinguished. */
  readonly component: { readonly uid: string; readonly id: string } | undefined
  /** Streams that the calls named, up to a limit. */
  readonly streamIds: Set<string>
  /** Whether a call read all streams of the component. */
  isWhole: boolean
  answers: number
  /** Answers that come in parts, and have been counted. */
  readonly counted: WeakSet<object>
  amount: number
  /** The entry as it was first written; undefined: nothing is written yet. */
  entry: PutDocument | undefined
  revision: number
  isChanged: boolean
}

/** Records exports once per hour. */
export class ExportLog {
  readonly #deps: ExportLogDeps
  readonly #exports = new Map<string, Export>()
  /** Targets of each caller and form in the present hour. */
  readonly #targets = new Map<string, number>()
  #hour = 0
  #isFull = false
  #isClosed = false
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | undefined

  constructor(deps: ExportLogDeps) {
    this.#deps = deps
  }

  /** Notes an answer that holds data; whether it is an export is decided here. */
  note(by: ActingCaller, data: ExportedData): void {
    const isPerson = by.principal.actor.kind === 'user'
    if (!isPerson && data.form !== 'csv') return
    const found = this.#find(by, data)
    if (found === undefined) return
    if (data.answer === undefined || !found.counted.has(data.answer)) found.answers += 1
    if (data.answer !== undefined) found.counted.add(data.answer)
    found.amount += data.amount
    if (data.streamId === undefined) found.isWhole = true
    else if (found.streamIds.size <= STREAMS_MAX) found.streamIds.add(data.streamId)
    if (data.form === 'json' && found.amount <= JSON_SAMPLES_FREE) return
    found.isChanged = true
    if (found.entry === undefined) this.#writeSoon(0)
    else this.#writeSoon(UPDATE_MS)
  }

  /** Writes what was noted; resolves when it would survive a crash. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    while (this.#writing !== undefined) await this.#writing
    this.#writing = this.#writeChanged().finally(() => {
      this.#writing = undefined
    })
    await this.#writing
  }

  /** Writes what is left. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.flush()
  }

  #find(by: ActingCaller, { form, componentUid: uid, compId: id }: ExportedData) {
    this.#startHour()
    const caller = `${this.#hour} ${by.principal.orgUid} ${actorName(by.principal)} ${form}`
    const key = `${caller} ${uid}`
    const known = this.#exports.get(key)
    if (known !== undefined) return known
    const count = this.#targets.get(caller) ?? 0
    if (count < TARGETS_PER_CALLER_MAX && this.#exports.size < EXPORTS_MAX / 2) {
      this.#targets.set(caller, count + 1)
      return this.#open(key, by, { form, component: { uid, id } })
    }
    const others = { form, component: undefined }
    return this.#exports.get(caller) ?? this.#open(caller, by, others)
  }

  #open(
    key: string,
    { principal, address }: ActingCaller,
    of: Pick<Export, 'form' | 'component'>,
  ): Export | undefined {
    if (this.#exports.size >= EXPORTS_MAX) {
      if (!this.#isFull)
        this.#deps.log.warn('exports are not recorded in the audit log: too many in this hour')
      this.#isFull = true
      return undefined
    }
    const opened: Export = {
      hour: this.#hour,
      by: { principal, address },
      ...of,
      answers: 0,
      amount: 0,
      streamIds: new Set<string>(),
      isWhole: false,
      counted: new WeakSet<object>(),
      entry: undefined,
      revision: 0,
      isChanged: false,
    }
    this.#exports.set(key, opened)
    return opened
  }

  #startHour(): void {
    const hour = Math.floor(this.#deps.clock.now() / HOUR_MS)
    if (hour === this.#hour) return
    this.#hour = hour
    this.#isFull = false
    this.#targets.clear()
    this.#forgetOver()
  }

  #forgetOver(): void {
    for (const [key, { hour, isChanged }] of this.#exports) {
      if (hour !== this.#hour && !isChanged) this.#exports.delete(key)
    }
  }

  #writeSoon(delayMs: number): void {
    if (this.#isClosed || (this.#timer !== undefined && delayMs > 0)) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.flush(), delayMs).unref()
  }

  async #writeChanged(): Promise<void> {
    const changed = [...this.#exports.values()].filter(({ isChanged }) => isChanged)
    for (let at = 0; at < changed.length; at += WRITTEN_AT_ONCE) {
      await Promise.all(changed.slice(at, at + WRITTEN_AT_ONCE).map((one) => this.#write(one)))
      await nextIteration()
    }
    this.#forgetOver()
  }

  async #write(one: Export): Promise<void> {
    one.isChanged = false
    const { audit, store, log } = this.#deps
    one.entry ??= audit.plan({ ...entryOf(one), detail: '' })
    const body = { ...one.entry.body, detail: detailOf(one) }
    try {
      const write = { ...one.entry, body, expectedRevision: one.revision }
      const [{ revision }] = await commitDocuments(store, [write])
      one.revision = revision
    } catch (error) {
      // The organization has gone, and its log with it.
      if (error instanceof CatalogConflict || error instanceof Refusal) return
      log.error({ error, act: 'data_exported' }, 'could not write an audit entry')
      one.isChanged = true
      this.#writeSoon(UPDATE_MS)
    }
  }
}

interface ExportLogDeps {
  readonly audit: Pick<AuditLog, 'plan'>
  readonly store: CatalogStore
  readonly clock: Clock
  readonly log: Log
}

function entryOf({ by: { principal, address }, component }: Export) {
  const { orgUid } = principal
  const actor = actorName(principal)
  const target = component?.uid ?? ''
  return { orgUid, act: 'data_exported', actor, target, address } as const
}

function detailOf(one: Export): string {
  const { form, answers, amount } = one
  const how = { csv: ' as CSV', json: '', file: ', files' }[form]
  const what = form === 'file' ? 'byte' : 'sample'
  return `${placeOf(one)}${how}: ${counted(answers, 'answer')}, ${counted(amount, what)}`
}

function counted(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : `${noun}s`}`
}

/** IDs stand in quotes as in JSON: they may hold whatever else is written here. */
function placeOf({ component, streamIds, isWhole }: Export): string {
  if (component === undefined) return 'other components'
  const id = JSON.stringify(component.id)
  if (isWhole) return id
  const [only] = streamIds
  if (streamIds.size === 1) return `${id} / ${JSON.stringify(only)}`
  const count = streamIds.size > STREAMS_MAX ? `more than ${STREAMS_MAX}` : streamIds.size
  return `${id}, ${count} streams`
}
