/**
 * GS SQL as it leaves the compiler: plain data that can be sent to another process. Nothing a user has
 * written is in the text for SQLite but quoted texts and numbers: names of tables and columns are ours.
 */
import type { ExpressionType, PathStep } from '../expression/index.ts'

/** A value as SQLite takes it and hands it over: INTEGER as bigint, REAL as number. */
export type SqlCell = bigint | number | string | null

/** A stretch of the text that was compiled, half-open, in UTF-16 units. */
export type SqlPlace = readonly [from: number, until: number]

/** A column of a result: its name as people see it, and its type as far as it is known. */
export interface SqlColumn {
  readonly name: string
  readonly type: ExpressionType
}

/**
 * A program. Its statements run in their order, each with the values that variables have by then.
 * Compiled once it can be run any number of times.
 */
export interface CompiledSql {
  /** What was compiled; places are stretches of it. */
  readonly text: string
  /** Every variable that is read or set, in capitals with its @; the index is its number. */
  readonly variables: readonly string[]
  readonly statements: readonly CompiledStatement[]
}

/** One statement, with its place from the first word to the last. */
export type CompiledStatement = CompiledSet | CompiledSelect | CompiledInsert

/** SET: the one cell of the query's one row is the variable's value from here on. */
export interface CompiledSet {
  readonly kind: 'set'
  /** The number of the variable. */
  readonly variable: number
  readonly query: CompiledQuery
}

/** SELECT: the rows of the query are an answer. */
export interface CompiledSelect {
  readonly kind: 'select'
  readonly query: CompiledQuery
}

/**
 * INSERT OR REPLACE INTO SAMPLE: each row of the query is a sample. Its columns are always CID, ID,
 * TIME and SAMPLE, in this order; a NULL TIME is the server's.
 */
export interface CompiledInsert {
  readonly kind: 'insert'
  readonly query: CompiledQuery
  /** One row with the options of WITH, named as in `INSERT_OPTIONS`; undefined where none is given. */
  readonly options: CompiledQuery | undefined
}

/** A query for SQLite, with what must be bound, registered and loaded before it runs. */
export interface CompiledQuery {
  /** One SELECT. Its rows have as many cells as there are columns. */
  readonly sql: string
  readonly columns: readonly SqlColumn[]
  /** The numbers of the variables that it reads, each bound as `v<number>`. */
  readonly variables: readonly number[]
  /** Whether the time of the call, in epoch ms, is bound as `now` (a bigint). */
  readonly readsNow: boolean
  /** The functions that it asks for, for `registerSqlFunctions`. */
  readonly functions: readonly string[]
  /** Tables that are filled, in this order, before it runs. */
  readonly sources: readonly CompiledSource[]
  /** Stored tables that it reads. */
  readonly reads: readonly CompiledRead[]
  /** Where what can fail is written, by the number that `SqlFailure` names. */
  readonly places: readonly SqlPlace[]
  /** The whole statement. */
  readonly place: SqlPlace
}

/** A query that reads no table but those of its own WITH. */
export type CompiledText = Omit<CompiledQuery, 'sources' | 'reads'>

/**
 * A table that is made of a text, JSON_TABLE or CSV_TABLE. The table has `columnCount` columns without
 * types, named c0, c1 …; tables of one name are alike in every program, so they can be kept and emptied.
 */
export interface CompiledSource {
  readonly table: string
  readonly columnCount: number
  /** Where the text comes from: a variable by its number, or the one cell of a query without sources. */
  readonly text: { readonly variable: number } | { readonly query: CompiledText }
  readonly plan: JsonTablePlan | CsvTablePlan
  /** The number of the text's place in the query that reads the table, which failures name. */
  readonly place: number
}

/** A step of a path into JSON: a member by its name, or an element by its index from 0. */
export type JsonStep = PathStep

/** The types that columns of JSON_TABLE and CSV_TABLE may have. */
export type SourceType = 'LONG' | 'DOUBLE' | 'BIGDECIMAL' | 'STRING' | 'BOOLEAN'

/** Rows of JSON: arrays are expanded level by level, columns are read at the level of their path. */
export interface JsonTablePlan {
  readonly kind: 'json'
  /** From the document, or an element of the level before, to the array that is expanded. */
  readonly levels: readonly (readonly JsonStep[])[]
  readonly columns: readonly {
    readonly type: SourceType
    /** 0 is the document, 1 an element of the first array. */
    readonly level: number
    readonly steps: readonly JsonStep[]
  }[]
}

/** Rows of CSV: columns are read by their position from 1. */
export interface CsvTablePlan {
  readonly kind: 'csv'
  readonly delimiter: string
  readonly hasHeader: boolean
  readonly columns: readonly { readonly type: SourceType; readonly position: number }[]
}

/** A table of stored data that a query reads; the runner's caller fills it with what is asked for. */
export interface CompiledRead {
  /** The name under which the query reads it; tables of one name have as many columns in every program. */
  readonly table: string
  /** Which stored table; `RESULT` where its rows are those of a call's result instead. */
  readonly of: 'STREAM' | 'SAMPLE' | 'COMPONENT' | 'RESULT'
  /** The names of the columns c0, c1 … that the query reads; `SumColumn` where it is summed up. */
  readonly columns: readonly string[]
  readonly place: SqlPlace
  /** Which of its rows are needed; unsaid: all. */
  readonly ask?: CompiledAsk
}

/** Which rows of a stored table a query needs, as far as that is known before they are there. */
export interface CompiledAsk {
  /** One row with the requirements of the text; where they are unknown, the statement fails. */
  readonly given: CompiledText | undefined
  /** One row with the bounds of conditions; where unknown, they leave nothing out. */
  readonly bounds: CompiledText | undefined
  /** What every row that counts fulfils. The query checks it itself, so it only saves work. */
  readonly predicates: readonly SqlPredicate[]
  /** What every row must fulfil, as the query does not check it; cells are those of `given`. */
  readonly demands: readonly SqlPredicate[]
  /** What Sample(…) says, as numbers of the cells of `given`; undefined where there is none. */
  readonly sample: SampleAsk | undefined
  /** Whether sums of each stream are asked for instead of its samples. */
  readonly isSummed: boolean
}

/** A condition on one column of a stored table. */
export interface SqlPredicate {
  readonly column: string
  readonly is: 'in' | '>' | '>=' | '<' | '<='
  /** What it is compared with: the number of a cell, or a text. */
  readonly cells: readonly (number | string)[]
}

/** The settings of Sample(…), each the number of a cell. */
type SampleAsk = { readonly [name in SampleSetting]?: number }

/** The settings that Sample(…) and its Range(…) may have. */
export const SAMPLE_SETTINGS = {
  own: ['cycleId', 'stat'],
  range: ['sd', 'ed', 'last', 'currentCycle'],
} as const

/** One of them. */
export type SampleSetting = (typeof SAMPLE_SETTINGS)['own' | 'range'][number]

const SUM_COLUMNS = [
  'count()',
  'sum()',
  'mean()',
  'min()',
  'max()',
  'first()',
  'firstTime()',
  'last()',
  'lastTime()',
] as const

/** The columns of a row of sums. There are as many rows as needed, each exact for its samples. */
export type SumColumn = (typeof SUM_COLUMNS)[number]

/**
 * The column with the start of the period of `ms` milliseconds that a row sums up: `time - time % ms` of its samples.
 */
export function periodColumn(ms: number): string {
  return `period ${ms}`
}

/** The column with a label of a stream. Names of labels in capitals or not differ. */
export function labelColumn(label: string): string {
  return `${LABEL_COLUMN}${label}`
}

/** How the name of every column of a label begins. */
export const LABEL_COLUMN = 'label '

/** The column that holds a statistic which Sample(stat = …) names among the values of SELECT. */
export function statisticColumn(cell: number): string {
  return `stat ${cell}`
}

/** The options of INSERT's WITH, as columns of its options' query are named. */
export const INSERT_OPTIONS = ['COMP_TMPL_ID', 'FOLDER_PATH', 'CNAME'] as const
