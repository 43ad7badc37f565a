import type { CastType, Expression, Span } from '../../expression/index.ts'

/** A name as it was read, without quotes. */
export interface SqlName {
  readonly text: string
  readonly span: Span
}

/** A text of GS SQL as it was read. */
export type Statement = SetStatement | InsertStatement | SelectStatement

/** SET @name = value. */
export interface SetStatement {
  readonly kind: 'set'
  readonly variable: SqlName
  readonly value: Expression
  readonly span: Span
}

/** INSERT OR REPLACE INTO SAMPLE(columns) WITH (options) query. */
export interface InsertStatement {
  readonly kind: 'insert'
  readonly table: SqlName
  readonly columns: readonly SqlName[]
  readonly options: readonly InsertOption[]
  readonly query: Query
  readonly span: Span
}

/** One option of INSERT. */
interface InsertOption {
  readonly name: SqlName
  readonly value: Expression
}

/** A query as a statement. */
interface SelectStatement {
  readonly kind: 'select'
  readonly query: Query
  readonly span: Span
}

/** SELECTs joined by UNION, with what stands before and behind all of them. */
export interface Query {
  readonly tables: readonly CommonTable[]
  readonly isRecursive: boolean
  readonly arms: readonly SelectArm[]
  readonly order: readonly OrderTerm[]
  readonly limit: Expression | undefined
  readonly offset: Expression | undefined
  readonly span: Span
  /** How many parts lie above each other in the deepest of its expressions. */
  readonly depth: number
}

/** name(columns) AS (query), before a query. */
export interface CommonTable {
  readonly name: SqlName
  readonly columns: readonly SqlName[] | undefined
  readonly query: Query
}

/** One SELECT. `joinedBy` is the operator before it; the first has none. */
export interface SelectArm {
  readonly joinedBy: 'UNION ALL' | 'UNION' | undefined
  readonly isDistinct: boolean
  readonly items: readonly SelectItem[]
  readonly from: readonly FromItem[]
  readonly where: Expression | undefined
  readonly group: readonly Expression[]
  readonly having: Expression | undefined
  readonly span: Span
}

/** A value with its name, or all columns, of one table or of every. */
export type SelectItem =
  | { readonly kind: 'all'; readonly table: SqlName | undefined; readonly span: Span }
  | {
      readonly kind: 'value'
      readonly value: Expression
      readonly alias: SqlName | undefined
      readonly span: Span
    }

/** How a table is joined to those before it. */
type JoinKind = 'INNER' | 'LEFT' | 'RIGHT' | 'FULL' | 'CROSS'

/** A table of FROM; the first is joined to nothing. */
export interface FromItem {
  readonly join: JoinKind
  readonly table: TableItem
  readonly on: Expression | undefined
  readonly using: readonly SqlName[] | undefined
}

/** What a table of FROM is. */
export type TableItem = NamedTable | QueryTable | JsonTable | CsvTable

interface Aliased {
  readonly alias: SqlName | undefined
  readonly span: Span
}

/** A table by its name. */
export interface NamedTable extends Aliased {
  readonly kind: 'named'
  readonly name: SqlName
  readonly settings: SampleSettings | undefined
}

/** Sample(name = value, …, Range(name = value, …)): which samples of a stored table are read. */
export interface SampleSettings {
  readonly settings: readonly { readonly name: SqlName; readonly value: Expression }[]
  readonly range: SampleSettings['settings'] | undefined
  readonly span: Span
}

/** A query in parentheses. */
interface QueryTable extends Aliased {
  readonly kind: 'query'
  readonly query: Query
}

/** JSON_TABLE(text) WITH (name type 'path', …). */
export interface JsonTable extends Aliased {
  readonly kind: 'json'
  readonly text: Expression
  readonly columns: readonly { name: SqlName; type: CastType; path: SqlName }[]
}

/** CSV_TABLE(text DELIMITER ';' HEADER) WITH (position name type, …). */
export interface CsvTable extends Aliased {
  readonly kind: 'csv'
  readonly text: Expression
  readonly delimiter: SqlName | undefined
  readonly hasHeader: boolean
  readonly columns: readonly { name: SqlName; type: CastType; position: number }[]
}

/** A term of ORDER BY. */
export interface OrderTerm {
  readonly value: Expression
  readonly isDescending: boolean
  readonly nulls: 'FIRST' | 'LAST' | undefined
}

/** Parts of expressions that only SQL has. */
export type SqlPart =
  | ColumnPart
  | AggregatePart
  | { readonly is: 'query'; readonly query: Query }
  | { readonly is: 'exists'; readonly query: Query }
  | { readonly is: 'rows'; readonly query: Query }
  | { readonly is: 'sample'; readonly settings: SampleSettings }
  | { readonly is: 'label'; readonly name: string }
  | { readonly is: 'now' }

/** A column, perhaps of a named table; in double quotes it may be a text. */
export interface ColumnPart {
  readonly is: 'column'
  readonly table: SqlName | undefined
  readonly name: SqlName
  readonly isQuoted: boolean
}

/** A function of the rows of a group; count(*) has no argument. */
export interface AggregatePart {
  readonly is: 'aggregate'
  readonly name: string
  readonly isDistinct: boolean
  readonly args: readonly Expression[]
}
