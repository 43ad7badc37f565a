import { Worker } from 'node:worker_threads'
import { DatabaseFailure, type Row } from '../database-port.ts'
import { type PackedRows, unpackRows } from './packed-rows.ts'
import type { FailureData, ThreadAnswer, ThreadCall, ThreadData } from './thread-messages.ts'

/** The JavaScript heap of a thread, in MB: several times the longest answer. Buffers are limited by the bytes received. */
const HEAP_MB_MAX = 192
/** What a driver creates per row dies young. */
const YOUNG_MB = 24

type Waiter = PromiseWithResolvers<unknown>

/** The main thread's end of a database thread. Whatever happens there, calls fail with a DatabaseFailure. */
export class DatabaseThreadLink {
  readonly #worker: Worker
  readonly #waiters = new Map<number, Waiter>()
  /** Settles when the session is signed in, with the name of the server. */
  readonly opened: Promise<string>
  /** Whether the server may be working on a statement. */
  isBusy = false
  #lastId = 0
  #ending: DatabaseFailure | undefined

  constructor(workerData: ThreadData) {
    this.#worker = new Worker(new URL('./database-thread.ts', import.meta.url), {
      workerData,
      name: 'database',
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX, maxYoungGenerationSizeMb: YOUNG_MB },
      env: threadEnv(),
      // Drivers print warnings about what a server sends, which do not belong in the log.
      stdout: true,
      stderr: true,
    })
    this.#worker.stdout.resume()
    this.#worker.stderr.resume()
    this.#worker.on('message', (message: ThreadAnswer) => this.#take(message))
    this.#worker.on('error', (error: NodeJS.ErrnoException) => this.#fail(failureOf(error)))
    this.#worker.on('exit', () =>
      this.#fail(new DatabaseFailure('lost', 'The session with the database has ended')),
    )
    this.opened = this.#wait(0) as Promise<string>
  }

  /** Runs a statement; resolves with the names of its columns. */
  async start(sql: string): Promise<readonly string[]> {
    return (await this.#work({ call: 'start', sql })) as readonly string[]
  }

  /** The next rows, at most `rowsMax`; empty at the end. */
  async next(rowsMax: number): Promise<readonly Row[]> {
    return unpackRows((await this.#work({ call: 'next', rowsMax })) as PackedRows)
  }

  /** Asks the server to stop the statement. */
  async cancel(): Promise<void> {
    await this.#call({ call: 'cancel' })
  }

  /** Signs out. */
  async close(): Promise<void> {
    await this.#call({ call: 'close' })
  }

  /** Ends the thread at once, with its sockets. */
  destroy(): void {
    void this.#worker.terminate()
  }

  async #work(call: ThreadCall): Promise<unknown> {
    this.isBusy = true
    const result = await this.#call(call)
    this.isBusy = false
    return result
  }

  async #call(call: ThreadCall): Promise<unknown> {
    if (this.#ending !== undefined) throw this.#ending
    this.#lastId += 1
    const id = this.#lastId
    this.#worker.postMessage({ id, call })
    return await this.#wait(id)
  }

  async #wait(id: number): Promise<unknown> {
    const waiter: Waiter = Promise.withResolvers()
    this.#waiters.set(id, waiter)
    try {
      return await waiter.promise
    } finally {
      this.#waiters.delete(id)
    }
  }

  #take(message: ThreadAnswer): void {
    if (message.id === 'all') {
      const { reason, message: text } = message.failure
      this.#fail(new DatabaseFailure(reason, text), { isOver: false })
      return
    }
    const waiter = this.#waiters.get(message.id)
    if ('failure' in message) waiter?.reject(this.#failureFrom(message.failure))
    else waiter?.resolve(message.result)
  }

  #failureFrom({ reason, message, place, isFromServer }: FailureData): DatabaseFailure {
    if (isFromServer) this.isBusy = false
    return new DatabaseFailure(reason, message, { place })
  }

  /** Fails every call; those to come too, when the thread is over. */
  #fail(failure: DatabaseFailure, { isOver } = { isOver: true }): void {
    if (isOver) this.#ending ??= failure
    for (const { reject } of this.#waiters.values()) reject(failure)
  }
}

/** Drivers read passwords and options from variables such as PGPASSWORD, so a thread has none of them. */
function threadEnv(): Record<string, string> {
  const { NODE_COMPILE_CACHE: cache } = process.env
  return cache === undefined ? {} : { NODE_COMPILE_CACHE: cache }
}

/** Why a thread failed. The error's own message may hold what the server sent, and is not shown. */
function failureOf({ code }: NodeJS.ErrnoException): DatabaseFailure {
  if (code === 'ERR_WORKER_INIT_FAILED') {
    return new DatabaseFailure('lost', 'The service has no file handles left')
  }
  const what =
    code === 'ERR_WORKER_OUT_OF_MEMORY'
      ? 'the response of the server needs too much memory'
      : 'the server violates its protocol'
  return new DatabaseFailure('lost', `The connection was lost: ${what}`)
}
