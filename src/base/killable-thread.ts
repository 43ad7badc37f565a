import { parentPort, Worker } from 'node:worker_threads'
import { Mutex } from './mutex.ts'

/** What a thread runs, and how much one request may use. */
interface ThreadOptions {
  readonly name: string
  /** The module that calls serveThread(). */
  readonly module: URL
  /** CPU time of one request, in milliseconds. */
  readonly cpuMsMax: number
  readonly memoryMbMax: number
}

/** A request that used more than its thread may; the thread was terminated. */
export class ThreadExhausted extends Error {
  readonly of: 'time' | 'memory'

  constructor(of: 'time' | 'memory') {
    super(`a thread was terminated: its request took too much ${of}`)
    this.name = 'ThreadExhausted'
    this.of = of
  }
}

/** An idle thread is terminated after this time: it takes some megabytes. */
const IDLE_MS_MAX = 60_000

/** A request on a busy machine may wait this many times as long as it computes. */
const WAITING_RATIO_MAX = 20

/** A thread that does not report its CPU time for so long is stuck in native code. */
const REPORT_MS_MAX = 1_000

/** A worker's reply, and the CPU time of its thread so far. */
interface Reply<Answer> {
  readonly answer: Answer
  readonly cpuMs: number
}

/** Answers each request to the thread that runs this module. */
export function serveThread<Request, Answer>(handle: (request: Request) => Answer): void {
  parentPort?.on('message', (request: Request) => {
    const reply: Reply<Answer> = {
      answer: handle(request),
      cpuMs: cpuMsOf(process.threadCpuUsage()),
    }
    parentPort?.postMessage(reply)
  })
}

/**
 * A worker thread for computations that would block the event loop, one at a time. It starts with the first request,
 * and is terminated when a request exceeds its CPU time or memory; the next request starts another thread.
 */
export class KillableThread<Request, Answer> {
  readonly #options: ThreadOptions
  readonly #mutex = new Mutex()
  #worker: Worker | undefined
  /** CPU time of the running thread up to its last reply. */
  #cpuMs = 0
  /** Requests that run or wait. */
  #count = 0
  #idle: NodeJS.Timeout | undefined

  constructor(options: ThreadOptions) {
    this.#options = options
  }

  /** Computes an answer after the requests before it. Rejects with ThreadExhausted beyond the limits. */
  async ask(request: Request): Promise<Answer> {
    this.#count += 1
    clearTimeout(this.#idle)
    try {
      return await this.#mutex.run(() => this.#ask(request))
    } finally {
      this.#count -= 1
      if (this.#count === 0) this.#endLater()
    }
  }

  /** Terminates the thread; a later request starts another. */
  async close(): Promise<void> {
    clearTimeout(this.#idle)
    const worker = this.#worker
    this.#worker = undefined
    await worker?.terminate()
  }

  #endLater(): void {
    this.#idle = setTimeout(() => void this.close(), IDLE_MS_MAX)
    this.#idle.unref()
  }

  async #ask(request: Request): Promise<Answer> {
    const worker = this.#started()
    const { name } = this.#options
    const { promise, resolve, reject } = Promise.withResolvers<Reply<Answer>>()
    const watch = this.#watch(worker, reject)
    const onError = (cause: NodeJS.ErrnoException) => {
      const isMemory = cause.code === 'ERR_WORKER_OUT_OF_MEMORY'
      reject(isMemory ? new ThreadExhausted('memory') : new Error(`${name} failed`, { cause }))
    }
    const onExit = () => reject(new Error(`${name} ended`))
    worker.once('message', resolve).once('error', onError).once('exit', onExit)
    worker.postMessage(request)
    try {
      const { answer, cpuMs } = await promise
      this.#cpuMs = cpuMs
      return answer
    } finally {
      watch.end()
      worker.off('message', resolve).off('error', onError).off('exit', onExit)
    }
  }

  /** Terminates the thread once a request has used its CPU time, however long that takes on a busy machine. */
  #watch(worker: Worker, reject: (error: Error) => void): { end(): void } {
    const { cpuMsMax } = this.#options
    const before = this.#cpuMs
    const latest = performance.now() + WAITING_RATIO_MAX * cpuMsMax
    let timer: NodeJS.Timeout
    let isEnded = false
    const look = async () => {
      const used = (await cpuMsWithin(worker, REPORT_MS_MAX)) - before
      if (isEnded) return
      if (used < cpuMsMax && performance.now() < latest) {
        timer = setTimeout(look, cpuMsMax - used)
        return
      }
      reject(new ThreadExhausted('time'))
      void this.close()
    }
    timer = setTimeout(look, cpuMsMax)
    return {
      end: () => {
        isEnded = true
        clearTimeout(timer)
      },
    }
  }

  #started(): Worker {
    if (this.#worker !== undefined) return this.#worker
    const { name, module, memoryMbMax } = this.#options
    const worker = new Worker(module, {
      name,
      resourceLimits: { maxOldGenerationSizeMb: memoryMbMax },
    })
    worker.unref()
    const forget = () => {
      if (this.#worker === worker) this.#worker = undefined
    }
    // The request that waits gets the error; without a listener of its own it would end the process.
    worker.on('error', forget).on('exit', forget)
    this.#worker = worker
    this.#cpuMs = 0
    return worker
  }
}

function cpuMsOf({ user, system }: { readonly user: number; readonly system: number }): number {
  return (user + system) / 1_000
}

/** The CPU time of a thread; endless where it does not report it in time. */
async function cpuMsWithin(worker: Worker, ms: number): Promise<number> {
  const { promise: late, resolve } = Promise.withResolvers<number>()
  const timer = setTimeout(resolve, ms, Number.POSITIVE_INFINITY)
  try {
    return await Promise.race([worker.cpuUsage().then(cpuMsOf), late])
  } catch {
    // It has ended. Its own event reports that.
    return 0
  } finally {
    clearTimeout(timer)
  }
}
