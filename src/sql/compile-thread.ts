import { KillableThread, refusal, ThreadExhausted } from '../base/plain.ts'
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

/** The longest texts take a second of CPU time. */
const SECONDS_MAX = 20

/** The longest texts take a fifth of it. */
const MEMORY_MB_MAX = 256

/** Compiles GS SQL apart from the main loop, which the longest texts would hold up; started when it is first needed. */
export class CompileThread {
  readonly #thread = new KillableThread<CompileRequest, CompileAnswer>({
    name: 'gs-sql-compiler',
    module: new URL('./compile-worker.ts', import.meta.url),
    cpuMsMax: SECONDS_MAX * 1_000,
    memoryMbMax: MEMORY_MB_MAX,
  })
  #count = 0

  /** Compiles a text as `compileGsSql` does; rejects with ExpressionError, or refuses where too many wait. */
  async compile(text: string, options: GsSqlOptions): Promise<CompiledSql> {
    if (this.#count >= TEXTS_MAX) {
      const what = 'Too many long queries are waiting to be compiled. Try again later'
      throw refusal('sql_unavailable', { what, retryAfterSeconds: SECONDS_MAX })
    }
    this.#count += 1
    try {
      const answer = await this.#thread.ask({ text, options })
      if ('program' in answer) return answer.program
      throw new ExpressionError(answer.mistake.message, text, answer.mistake.span)
    } catch (error) {
      if (!(error instanceof ThreadExhausted)) throw error
      const problem = error.of === 'time' ? 'it takes too long' : 'it takes too much memory'
      const message = `Cannot compile this query: ${problem}`
      throw new ExpressionError(message, text, { from: 0, until: 1 })
    } finally {
      this.#count -= 1
    }
  }

  /** Ends the thread; what it is asked for after that starts another. */
  async close(): Promise<void> {
    await this.#thread.close()
  }
}
