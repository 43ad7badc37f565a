import { type CompiledSql, compileGsSql, failureAt, type GsSqlOptions } from '../sql/index.ts'
import type { GqlText } from './gql-run.ts'

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

interface KeptEntry extends RunnableText {
  readonly sql: string
  readonly timeZoneId: string
  readonly stored: GsSqlOptions['stored']
  readonly size: number
}

/** Characters of all that is kept together, of texts and of what is made of them. */
const KEPT_SIZE_MAX = 32_000_000

/** What a text of the fewest characters takes. */
const TEXT_SIZE = 4_000

/** Compiles texts and keeps what was used last. */
export class CompiledTexts {
  /** In the order of use. */
  readonly #kept = new Map<string, KeptEntry>()
  #size = 0
  #compiledCount = 0

  /** How many texts were compiled since the start. */
  get compiledCount(): number {
    return this.#compiledCount
  }

  /** The compiled text, kept under the key or under itself; throws ExpressionError. */
  take(
    { sql, timeZoneId }: Omit<GqlText, 'allows'>,
    stored: GsSqlOptions['stored'],
    key?: string,
  ): RunnableText {
    const name =
      key === undefined ? `${stored === undefined ? '' : '+'}${timeZoneId} ${sql}` : `# ${key}`
    const kept = this.#kept.get(name)
    if (kept !== undefined) {
      this.#kept.delete(name)
      if (kept.sql === sql && kept.timeZoneId === timeZoneId && kept.stored === stored) {
        this.#kept.set(name, kept)
        return kept
      }
      this.#size -= kept.size
    }
    return this.#add(name, { sql, timeZoneId, stored })
  }

  #add(name: string, about: Pick<KeptEntry, 'sql' | 'timeZoneId' | 'stored'>): KeptEntry {
    const { sql, timeZoneId, stored } = about
    this.#compiledCount += 1
    const program = compileGsSql(sql, { timeZoneId, stored })
    const kinds = program.statements.map(({ kind }) => kind)
    const text: KeptEntry = {
      ...about,
      program,
      key: `${this.#compiledCount}`,
      names: program.statements.map(({ kind, query }) => {
        const { line, column } = failureAt(sql, query, { message: kind })
        return `the ${kind.toUpperCase()} at line ${line}, column ${column}`
      }),
      lastSelect: kinds.lastIndexOf('select'),
      firstInsert: kinds.indexOf('insert'),
      readsStored: program.statements.some(({ query }) => query.reads.length > 0),
      size: sizeOf(program),
    }
    this.#kept.set(name, text)
    this.#size += text.size
    for (const [oldest, { size }] of this.#kept) {
      if (this.#size <= KEPT_SIZE_MAX || oldest === name) break
      this.#kept.delete(oldest)
      this.#size -= size
    }
    return text
  }
}

function sizeOf({ text, statements }: CompiledSql): number {
  const queries = statements.reduce((sum, { query }) => sum + query.sql.length, 0)
  return TEXT_SIZE + 3 * (text.length + queries)
}
