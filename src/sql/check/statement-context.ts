import {
  ExpressionError,
  type ExpressionType,
  knownVariableOf,
  nearestName,
  printTerm,
  type Span,
  shorten,
  type Term,
} from '../../expression/index.ts'
import type {
  CompiledQuery,
  CompiledRead,
  CompiledSource,
  CompiledText,
  SqlColumn,
  SqlPlace,
} from '../compiled-sql.ts'
import type { Query } from '../syntax/sql-tree.ts'
import type { SqlScope } from './sql-scope.ts'
import type { StoredColumn, StoredRead } from './stored-read.ts'

/** A query as text for SQLite, with the columns that it gives. */
export interface QueryText {
  readonly sql: string
  readonly columns: readonly SqlColumn[]
}

/** What a query keeps of values that share a column with those of other types. */
export interface MixedValues {
  /** Whether TRUE and FALSE must differ from 1 and 0. */
  readonly marksBooleans?: boolean
  /** Whether decimals stay texts with all their digits: for who takes a text of a number for a number. */
  readonly keepsDecimals?: boolean
}

/** How a query is compiled. */
export type CompileQuery = (
  statement: StatementContext,
  query: Query,
  scope: SqlScope,
  options?: MixedValues,
) => QueryText

/** Stored tables that may be read, with their columns. */
export type StoredTables = Partial<Readonly<Record<CompiledRead['of'], readonly StoredColumn[]>>>

/** The variables of a program: numbered, with the type that each has by then. */
export class ProgramVariables {
  readonly names: string[] = []
  readonly #types = new Map<string, ExpressionType>()

  /** Makes a variable known, or gives it another type. */
  define(name: string, type: ExpressionType): number {
    const key = name.toUpperCase()
    this.#types.set(key, type)
    return this.#numberOf(key)
  }

  find(name: string): { readonly number: number; readonly type: ExpressionType } | undefined {
    const key = name.toUpperCase()
    const type = this.#types.get(key)
    return type === undefined ? undefined : { number: this.#numberOf(key), type }
  }

  known(): string[] {
    return [...this.#types.keys()]
  }

  #numberOf(key: string): number {
    const index = this.names.indexOf(key)
    return index >= 0 ? index : this.names.push(key) - 1
  }
}

/** What a whole program is compiled with. */
export interface ProgramContext {
  readonly text: string
  readonly timeZoneId: string
  readonly variables: ProgramVariables
  readonly stored: StoredTables
  readonly compileQuery: CompileQuery
  /** Offsets of columns that turned out to be conditions. */
  readonly conditions: Set<number>
}

/** A column of a stored table, and whether it is the time of samples that are summed up. */
interface StoredPlace {
  readonly read: StoredRead
  readonly column: string
  readonly isTime: boolean
}

/** Gathers what one statement asks for while its text is made. */
export class StatementContext {
  readonly program: ProgramContext
  readonly sources: CompiledSource[] = []
  /** Their tables are named by their columns when all are known. */
  readonly reads: StoredRead[] = []
  /** Columns of stored tables by their texts. */
  readonly #storedColumns = new Map<string, StoredPlace>()
  readonly #inputs: string[] = []
  readonly #places: SqlPlace[] = []
  readonly #placeNumbers = new Map<string, number>()
  #names = 0

  constructor(program: ProgramContext) {
    this.program = program
  }

  /** A name that no other table of this statement has. */
  newName(prefix: string): string {
    this.#names += 1
    return `${prefix}${this.#names}`
  }

  readonly failAt = (problem: string, span: Span): ExpressionError =>
    new ExpressionError(problem, this.program.text, span)

  /** A term that stands for a text of SQLite. */
  input(sql: string, type: ExpressionType, span: Span): Term {
    const index = this.#inputs.push(sql) - 1
    return { kind: 'input', index, name: '', type, span }
  }

  /** The text that a term of `input` stands for; undefined of any other. */
  inputText(term: Term): string | undefined {
    return term.kind === 'input' ? this.#inputs[term.index] : undefined
  }

  /** The text of a column of a stored table, by which a term of it is known. */
  useStored(read: StoredRead, column: StoredColumn): string {
    const sql = read.use(column)
    const isTime = read.isSummed && column.ofSample === 'time'
    this.#storedColumns.set(sql, { read, column: column.name, isTime })
    return sql
  }

  /** The column of a stored table that a term is; undefined of any other. */
  storedColumn(term: Term): StoredPlace | undefined {
    return this.storedAt(this.inputText(term) ?? '')
  }

  /** As storedColumn, by the text of the column. */
  storedAt(sql: string): StoredPlace | undefined {
    return this.#storedColumns.get(sql)
  }

  variable(name: string, span: Span): Term {
    const { variables } = this.program
    const found = variables.find(name)
    if (found === undefined) {
      const nearest = nearestName(name, variables.known())
      const advice = nearest === undefined ? 'write SET before' : `did you mean ${nearest}?`
      throw this.failAt(`Unknown variable ${shorten(name)}: ${advice}`, span)
    }
    return this.input(`:v${found.number}`, found.type, span)
  }

  now(span: Span): Term {
    return this.input(':now', 'LONG', span)
  }

  /** The text of a term for SQLite, whole by itself. */
  print(term: Term): string {
    return printTerm(term, {
      columnOf: (_name, index) => this.#inputs[index],
      isBare: true,
      placeOf: (span) => String(this.placeOf(span)),
      knowsVariables: true,
    })
  }

  /** The number by which a failure names a place. */
  placeOf({ from, until }: Span): number {
    const key = `${from}-${until}`
    return this.#placeNumbers.getOrInsertComputed(key, () => this.#places.push([from, until]) - 1)
  }

  #columnCountOf(table: string): number {
    return this.reads.find((read) => read.table === table)?.columns.length ?? 0
  }

  /** The query as it leaves the compiler. */
  finish(text: QueryText, span: Span): CompiledQuery {
    const finishText = (terms: readonly Term[], place: Span): CompiledText => {
      const values = terms.map((term, index) => `${this.print(term)} AS c${index}`)
      const columns = terms.map(({ type }) => ({ name: '', type }))
      return this.finishText({ sql: `SELECT ${values.join(', ')}`, columns }, place)
    }
    const reads = this.reads.map((read) => read.finish(finishText))
    return { ...this.finishText(text, span), sources: this.sources, reads }
  }

  /** As finish, for a query that reads no tables but those of its WITH. */
  finishText({ sql: text, columns }: QueryText, { from, until }: Span): CompiledText {
    const sql = outsideTexts(text, (part) =>
      part.replace(/weir_r\d+/g, (name) => `${name}x${this.#columnCountOf(name)}`),
    )
    const bare = withoutTexts(sql)
    const names = [...bare.matchAll(/weir_[a-z\d_]+/g)].map(([name]) => name)
    // Tables have a number behind one letter.
    const functions = names.filter((name) => !/^weir_[rs]\d/.test(name))
    const known = functions.flatMap((name) => knownVariableOf(name) ?? [])
    const bound = [...bare.matchAll(/:v(\d+)/g)].map(([, number]) => Number(number))
    const numbers = [...bound, ...known]
    return {
      sql,
      columns,
      variables: [...new Set(numbers)],
      readsNow: bare.includes(':now'),
      functions: [...new Set(functions)],
      places: this.#places,
      place: [from, until],
    }
  }
}

/** A text for SQLite with all changed but the texts in it. */
export function outsideTexts(sql: string, change: (part: string) => string): string {
  return sql
    .split("'")
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join("'")
}

/** A text for SQLite without the texts in it, of which every other part between quotes is one. */
function withoutTexts(sql: string): string {
  return sql
    .split("'")
    .filter((_, index) => index % 2 === 0)
    .join("''")
}
