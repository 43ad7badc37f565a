import { Worker } from 'node:worker_threads'
import { PromqlError, type SeriesSource } from '../../promql/plain.ts'
import {
  type FromThread,
  type JobEnd,
  type LabelRequest,
  type QueryBounds,
  type QueryJob,
  type SelectedPart,
  type SelectReply,
  type SelectRequest,
  type SourceCall,
  STOP,
  type ToThread,
} from './query-messages.ts'

/** Tests texts of labels against a regular expression: one byte for each text. */
export type TestTexts = (pattern: string, texts: readonly string[]) => Promise<Uint8Array>

/** What a thread may ask for one query. */
export interface ServedSeries extends Omit<SeriesSource, 'select'> {
  /** The series of a selector, some at a time. */
  select(request: SelectRequest, take: (part: SelectedPart) => void): Promise<SelectReply>
  /** Names or values of labels, some at a time. */
  labels(request: LabelRequest, take: (texts: readonly string[]) => void): Promise<SelectReply>
  /** Notes how many samples the query holds, before it gets more. */
  hold(samples: number): Promise<void>
}

/** A query that runs, or is about to. */
interface ThreadTask {
  readonly job: QueryJob
  readonly bounds: QueryBounds
  readonly open: (testTexts: TestTexts) => ServedSeries
}

/** How long a stopped query may take to notice it before its thread is terminated. */
const STOP_MS_MAX = 2_000

/** After a query that held more samples its thread ends, because an idle thread keeps its garbage. */
const KEPT_SAMPLES_MAX = 4_000_000

interface RunningTask {
  readonly series: ServedSeries
  readonly stop: Int32Array<SharedArrayBuffer>
  readonly resolve: (body: Uint8Array) => void
  readonly reject: (error: unknown) => void
  readonly tests: Map<number, PromiseWithResolvers<Uint8Array>>
}

/** A worker thread that evaluates one query at a time; it ends when a query cannot be stopped otherwise. */
export class QueryThread {
  readonly #memoryMbMax: number
  readonly #onIdle: (owner: string) => void
  /** Whose queries run at present. */
  owner = ''
  #worker: Worker | undefined
  #task: RunningTask | undefined
  #isBusy = false
  #lastTest = 0
  #heldSamples = 0
  #termination: NodeJS.Timeout | undefined

  /** `onIdle` is called when the next query may run. */
  constructor(memoryMbMax: number, onIdle: (owner: string) => void) {
    this.#memoryMbMax = memoryMbMax
    this.#onIdle = onIdle
  }

  get isBusy(): boolean {
    return this.#isBusy
  }

  get isStarted(): boolean {
    return this.#worker !== undefined
  }

  /** Runs a job; resolves with its answer. Must not be called while the thread is busy. */
  run({ job, bounds, open }: ThreadTask): Promise<Uint8Array> {
    this.#isBusy = true
    this.#heldSamples = 0
    const worker = this.#started()
    const stop = new Int32Array(new SharedArrayBuffer(4))
    return new Promise((resolve, reject) => {
      const tests: RunningTask['tests'] = new Map()
      const series = open((pattern, texts) => this.#test(pattern, texts))
      this.#task = { series, stop, resolve, reject, tests }
      const message: ToThread = { kind: 'begin', job, bounds, stop }
      worker.postMessage(message)
    })
  }

  /** Ends the query with an error; the thread stops soon after. */
  stop(error: unknown, reason: 'timeout' | 'canceled'): void {
    const task = this.#task
    if (task === undefined) return
    Atomics.store(task.stop, 0, STOP[reason])
    task.reject(error)
    this.#termination ??= setTimeout(() => void this.close(), STOP_MS_MAX).unref()
  }

  /** Terminates the thread. A later query starts another. */
  async close(): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    this.#settle()
    await worker?.terminate()
  }

  #test(pattern: string, texts: readonly string[]): Promise<Uint8Array> {
    const pending = Promise.withResolvers<Uint8Array>()
    this.#lastTest += 1
    if (this.#task === undefined) pending.reject(new Error('the query has ended'))
    this.#task?.tests.set(this.#lastTest, pending)
    this.#post({ kind: 'test', test: this.#lastTest, pattern, texts })
    return pending.promise
  }

  #post(message: ToThread, transfer: ArrayBuffer[] = []): void {
    this.#worker?.postMessage(message, transfer)
  }

  #started(): Worker {
    if (this.#worker !== undefined) return this.#worker
    const worker = new Worker(new URL('./query-worker.ts', import.meta.url), {
      name: 'promql',
      resourceLimits: { maxOldGenerationSizeMb: this.#memoryMbMax },
    })
    worker.unref()
    const fail = (error: unknown) => {
      if (this.#worker !== worker) return
      this.#worker = undefined
      this.#task?.reject(error)
      this.#settle()
    }
    worker.on('message', (message: FromThread) => {
      if (this.#worker === worker) this.#receive(message)
    })
    worker.on('error', (cause: NodeJS.ErrnoException) => fail(errorOf(cause)))
    worker.on('exit', () => fail(new Error('a query thread ended')))
    this.#worker = worker
    return worker
  }

  #receive(message: FromThread): void {
    const task = this.#task
    if (task === undefined) return
    switch (message.kind) {
      case 'tested':
        task.tests.get(message.test)?.resolve(message.accepted)
        task.tests.delete(message.test)
        return
      case 'call':
        void this.#serve(task, message)
        return
      case 'end':
        finish(task, message.end)
        if (this.#heldSamples > KEPT_SAMPLES_MAX) void this.close()
        else this.#settle()
    }
  }

  #settle(): void {
    clearTimeout(this.#termination)
    this.#termination = undefined
    for (const { reject } of this.#task?.tests.values() ?? []) {
      reject(new Error('the query has ended'))
    }
    this.#task = undefined
    if (!this.#isBusy) return
    this.#isBusy = false
    this.#onIdle(this.owner)
  }

  async #serve(
    task: RunningTask,
    { call, what, heldSamples }: Extract<FromThread, { kind: 'call' }>,
  ): Promise<void> {
    this.#heldSamples = Math.max(this.#heldSamples, heldSamples)
    try {
      await task.series.hold(heldSamples)
      const post = (part: SelectedPart | readonly string[]) =>
        this.#post({ kind: 'part', call, part }, buffersOf(part))
      const reply = await answerCall(task.series, what, post)
      if (this.#task === task) this.#post({ kind: 'reply', call, reply }, buffersOf(reply ?? {}))
    } catch (error) {
      task.reject(error)
      Atomics.store(task.stop, 0, STOP.canceled)
      if (this.#task === task) this.#post({ kind: 'failure', call })
    }
  }
}

async function answerCall(
  series: ServedSeries,
  what: SourceCall,
  take: (part: SelectedPart | readonly string[]) => void,
): Promise<object | undefined> {
  switch (what.name) {
    case 'select':
      return await series.select(what.request, take)
    case 'read':
      return await series.read(what.request)
    case 'fold':
      return await series.fold(what.request)
    case 'statistics':
      return await series.statistics(what.request)
    case 'labels':
      return await series.labels(what.request, take)
  }
}

/** The memory of a reply's columns, which moves to the thread. */
function buffersOf(reply: object): ArrayBuffer[] {
  return Object.values(reply).flatMap((column: unknown) =>
    ArrayBuffer.isView(column) && column.buffer instanceof ArrayBuffer ? [column.buffer] : [],
  )
}

function finish({ resolve, reject }: RunningTask, end: JobEnd): void {
  if (end.kind === 'answer') resolve(end.body)
  else if (end.kind === 'refused') reject(new PromqlError(end.error, end.message))
  else reject(new Error('a query failed', { cause: end.error }))
}

function errorOf(cause: NodeJS.ErrnoException): Error {
  if (cause.code !== 'ERR_WORKER_OUT_OF_MEMORY')
    return new Error('a query thread failed', { cause })
  return new PromqlError('execution', 'query needs too much memory')
}
