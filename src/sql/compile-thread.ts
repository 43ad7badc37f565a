import { Worker } from 'node:worker_threads'
import { Mutex, refusal } from '../base/index.ts'
import { ExpressionError, type Span } from '../expression/index.ts'
import type { CompiledSql } from './compiled-sql.ts'
import type { GsSqlOptions } from './gs-sql-options.ts'

/** What the thread is asked for. */
export interface CompileRequest {
  readonly text: string
  readonly options: GsSqlOptions
}

/** What it answers. */
export type CompileAnswer =
  | { readonly program: CompiledSql }
  | { readonly mistake: { readonly message: string; readonly span: Span } }

/** Texts that wait for the thread or are in it; each has at most 200,000 characters. */
const TEXTS_MAX = 20

/** The longest texts take a second. */
const SECONDS_MAX = 20

/** The longest texts take a fifth of it. */
const MEMORY_MB_MAX = 256

/** A thread that nobody needs is ended after this. */
const IDLE_MS_MAX = 60_000

/** Compiles GS SQL apart from the main loop, which the longest texts would hold up; started when it is first needed. */
export class CompileThread {
  readonly #mutex = new Mutex()
  #count = 0
  #worker: Worker | undefined
  #idle: NodeJS.Timeout | undefined

  /** Compiles a text as `compileGsSql` does; rejects with ExpressionError, or refuses where too many wait. */
  async compile(text: string, options: GsSqlOptions): Promise<CompiledSql> {
    if (this.#count >= TEXTS_MAX) {
      const what = 'Too many long texts of GS SQL wait to be compiled: try again'
      throw refusal('sql_unavailable', { what, retryAfterSeconds: SECONDS_MAX })
    }
    this.#count += 1
    clearTimeout(this.#idle)
    try {
      const answer = await this.#mutex.run(() => this.#ask({ text, options }))
      if ('program' in answer) return answer.program
      throw new ExpressionError(answer.mistake.message, text, answer.mistake.span)
    } finally {
      this.#count -= 1
      if (this.#count === 0) this.#endLater()
    }
  }

  /** Ends the thread; what it is asked for after that starts another. */
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

  async #ask(request: CompileRequest): Promise<CompileAnswer> {
    const worker = this.#started()
    const { promise, resolve, reject } = Promise.withResolvers<CompileAnswer>()
    const fail = (problem: string) => {
      const mistake = {
        message: `Cannot compile this text: ${problem}`,
        span: { from: 0, until: 1 },
      }
      resolve({ mistake })
      void this.close()
    }
    const timer = setTimeout(() => fail('it takes too long'), SECONDS_MAX * 1_000)
    const onError = (cause: NodeJS.ErrnoException) => {
      if (cause.code === 'ERR_WORKER_OUT_OF_MEMORY') fail('it takes too much memory')
      else reject(new Error('the compiler of GS SQL failed', { cause }))
    }
    const onExit = () => reject(new Error('the compiler of GS SQL ended'))
    worker.once('message', resolve).once('error', onError).once('exit', onExit)
    worker.postMessage(request)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      worker.off('message', resolve).off('error', onError).off('exit', onExit)
    }
  }

  #started(): Worker {
    if (this.#worker !== undefined) return this.#worker
    const worker = new Worker(new URL('./compile-worker.ts', import.meta.url), {
      name: 'gs-sql-compiler',
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB_MAX },
    })
    worker.unref()
    const forget = () => {
      if (this.#worker === worker) this.#worker = undefined
    }
    // Errors are told to whoever waits; without a listener of its own one would end the process.
    worker.on('error', forget).on('exit', forget)
    this.#worker = worker
    return worker
  }
}
