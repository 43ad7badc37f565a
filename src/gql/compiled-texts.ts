import { ExpressionError } from '../expression/index.ts'
import {
  type CompiledSql,
  type CompileThread,
  compileGsSql,
  failureAt,
  type GsSqlOptions,
} from '../sql/index.ts'

/** A compiled text, and what runs need to know of it. */
export interface RunnableText {
  readonly program: CompiledSql
  /** Under which runners keep it. */
  readonly key: string
  /** How messages name each statement. */
  readonly names: readonly string[]
  /** The number of the last SELECT; -1 where there is none. */
  readonly lastSelect: number
  /** The first INSERT; -1 where there is none. */
  readonly firstInsert: number
  readonly readsStored: boolean
}

/** What a text is compiled for. */
interface About {
  readonly sql: string
  readonly timeZoneId: string
  readonly stored: GsSqlOptions['stored']
}

interface KeptEntry extends About {
  readonly size: number
  /** Of a text without a mistake. */
  readonly text: RunnableText | ExpressionError
}

/** A longer text is compiled in a thread: this many characters take a few milliseconds. */
const COMPILED_HERE_MAX = 4_000

/** Characters of all that is kept together, of texts and of what is made of them. */
const KEPT_SIZE_MAX = 32_000_000

/** What a text of the fewest characters takes. */
const TEXT_SIZE = 4_000

/** Compiles texts and keeps what was used last. */
export class CompiledTexts {
  readonly #thread: Pick<CompileThread, 'compile'>
  /** In the order of use. */
  readonly #kept = new Map<string, KeptEntry>()
  #size = 0
  #compiledCount = 0

  constructor(thread: Pick<CompileThread, 'compile'>) {
    this.#thread = thread
  }

  /** How many texts were compiled since the start. */
  get compiledCount(): number {
    return this.#compiledCount
  }

  /** Compiles a long text apart from the main loop, so that `take` finds it, or its mistake. */
  async prepare(about: About, key?: string): Promise<void> {
    if (about.sql.length <= COMPILED_HERE_MAX) return
    const name = nameOf(about, key)
    if (this.#find(name, about) !== undefined) return
    const { sql, timeZoneId, stored } = about
    const compiling = this.#thread.compile(sql, { timeZoneId, stored })
    const compiled = await compiling.catch((error: unknown) => {
      if (error instanceof ExpressionError) return error
      throw error
    })
    this.#keep(name, about, compiled)
  }

  /** The compiled text, kept under the key or under itself; throws ExpressionError. */
  take(about: About, key?: string): RunnableText {
    const name = nameOf(about, key)
    const { sql, timeZoneId, stored } = about
    const found =
      this.#find(name, about) ?? this.#keep(name, about, compileGsSql(sql, { timeZoneId, stored }))
    if (found instanceof ExpressionError) throw found
    return found
  }

  #find(name: string, { sql, timeZoneId, stored }: About): KeptEntry['text'] | undefined {
    const kept = this.#kept.get(name)
    if (kept === undefined) return undefined
    this.#kept.delete(name)
    if (kept.sql === sql && kept.timeZoneId === timeZoneId && kept.stored === stored) {
      this.#kept.set(name, kept)
      return kept.text
    }
    this.#size -= kept.size
    return undefined
  }

  #keep(name: string, about: About, compiled: CompiledSql | ExpressionError): KeptEntry['text'] {
    this.#compiledCount += 1
    const isMistake = compiled instanceof ExpressionError
    const text = isMistake ? compiled : runnable(compiled, `${this.#compiledCount}`)
    const size = isMistake ? TEXT_SIZE + about.sql.length : sizeOf(compiled)
    this.#size += size - (this.#kept.get(name)?.size ?? 0)
    this.#kept.delete(name)
    this.#kept.set(name, { ...about, size, text })
    for (const [oldest, entry] of this.#kept) {
      if (this.#size <= KEPT_SIZE_MAX || oldest === name) break
      this.#kept.delete(oldest)
      this.#size -= entry.size
    }
    return text
  }
}

function nameOf({ sql, timeZoneId, stored }: About, key: string | undefined): string {
  return key === undefined ? `${stored === undefined ? '' : '+'}${timeZoneId} ${sql}` : `# ${key}`
}

function runnable(program: CompiledSql, key: string): RunnableText {
  const kinds = program.statements.map(({ kind }) => kind)
  return {
    program,
    key,
    names: program.statements.map(({ kind, query }) => {
      const { line, column } = failureAt(program.text, query, { message: kind })
      return `the ${kind.toUpperCase()} at line ${line}, column ${column}`
    }),
    lastSelect: kinds.lastIndexOf('select'),
    firstInsert: kinds.indexOf('insert'),
    readsStored: program.statements.some(({ query }) => query.reads.length > 0),
  }
}

function sizeOf({ text, statements }: CompiledSql): number {
  const queries = statements.reduce((sum, { query }) => sum + query.sql.length, 0)
  return TEXT_SIZE + 3 * (text.length + queries)
}
