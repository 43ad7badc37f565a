/** Statements as text in one spelling, which is read back as the same tree. */
import {
  EXPRESSION_KEYWORDS,
  type Expression,
  type ForeignNode,
  printExpression,
  printName,
} from '../../expression/index.ts'
import type * as tree from './sql-tree.ts'
import { SOFT_WORDS, SQL_KEYWORDS } from './sql-words.ts'

const KEYWORDS: ReadonlySet<string> = new Set([
  ...EXPRESSION_KEYWORDS,
  ...SQL_KEYWORDS,
  ...SOFT_WORDS,
])

/** The text of statements, each on a line of its own. */
export function printStatements(statements: readonly tree.Statement[]): string {
  return statements.map((statement) => `${printStatement(statement)};`).join('\n')
}

function printStatement(statement: tree.Statement): string {
  switch (statement.kind) {
    case 'set':
      return `SET ${statement.variable.text} = ${print(statement.value)}`
    case 'select':
      return printQuery(statement.query)
    case 'insert': {
      const { table, columns, options, query } = statement
      const list = options.map(({ name, value }) => `${printNameOf(name)} = ${print(value)}`)
      const given = list.length === 0 ? '' : ` WITH (${list.join(', ')})`
      const names = `${printNameOf(table)}(${printNames(columns)})`
      return `INSERT OR REPLACE INTO ${names}${given} ${printQuery(query)}`
    }
  }
}

function printQuery({ tables, isRecursive, arms, order, limit, offset }: tree.Query): string {
  const words: string[] = []
  if (tables.length > 0) {
    words.push(`WITH ${isRecursive ? 'RECURSIVE ' : ''}${tables.map(printCommon).join(', ')}`)
  }
  words.push(...arms.map(printArmTree))
  if (order.length > 0) words.push(`ORDER BY ${order.map(printOrder).join(', ')}`)
  if (limit !== undefined) words.push(`LIMIT ${print(limit)}`)
  if (offset !== undefined) words.push(`OFFSET ${print(offset)}`)
  return words.join(' ')
}

function printCommon({ name, columns, query }: tree.CommonTable): string {
  const list = columns === undefined ? '' : `(${printNames(columns)})`
  return `${printNameOf(name)}${list} AS (${printQuery(query)})`
}

function printOrder({ value, isDescending, nulls }: tree.OrderTerm): string {
  const last = nulls === undefined ? '' : ` NULLS ${nulls}`
  return `${print(value)}${isDescending ? ' DESC' : ''}${last}`
}

function printArmTree(arm: tree.SelectArm): string {
  const words = [arm.joinedBy ?? '', `SELECT ${arm.isDistinct ? 'DISTINCT ' : ''}`.trim()]
  words.push(arm.items.map(printItem).join(', '))
  if (arm.from.length > 0) words.push(`FROM ${arm.from.map(printFrom).join(' ')}`)
  if (arm.where !== undefined) words.push(`WHERE ${print(arm.where)}`)
  if (arm.group.length > 0) words.push(`GROUP BY ${arm.group.map(print).join(', ')}`)
  if (arm.having !== undefined) words.push(`HAVING ${print(arm.having)}`)
  return words.filter((word) => word !== '').join(' ')
}

function printItem(item: tree.SelectItem): string {
  if (item.kind === 'all') return item.table === undefined ? '*' : `${printNameOf(item.table)}.*`
  return `${print(item.value)}${printAlias(item.alias)}`
}

function printAlias(alias: tree.SqlName | undefined): string {
  return alias === undefined ? '' : ` AS ${printNameOf(alias)}`
}

function printFrom({ join, table, on, using }: tree.FromItem, index: number): string {
  const before = index === 0 ? '' : `${join} JOIN `
  const condition = on === undefined ? '' : ` ON ${print(on)}`
  const names = using === undefined ? '' : ` USING (${printNames(using)})`
  return `${before}${printTable(table)}${printAlias(table.alias)}${condition}${names}`
}

function printTable(table: tree.TableItem): string {
  switch (table.kind) {
    case 'named':
      return `${printNameOf(table.name)}${table.settings === undefined ? '' : printSample(table.settings)}`
    case 'query':
      return `(${printQuery(table.query)})`
    case 'json': {
      const columns = table.columns.map(
        ({ name, type, path }) => `${printNameOf(name)} ${type} ${quote(path.text)}`,
      )
      return `JSON_TABLE(${print(table.text)}) WITH (${columns.join(', ')})`
    }
    case 'csv': {
      const columns = table.columns.map(
        ({ name, type, position }) => `${position} ${printNameOf(name)} ${type}`,
      )
      const delimiter =
        table.delimiter === undefined ? '' : ` DELIMITER ${quote(table.delimiter.text)}`
      const header = table.hasHeader ? ' HEADER' : ''
      return `CSV_TABLE(${print(table.text)}${delimiter}${header}) WITH (${columns.join(', ')})`
    }
  }
}

function printSample({ settings, range }: tree.SampleSettings): string {
  const words = printSettings(settings)
  if (range !== undefined) words.push(`Range(${printSettings(range).join(', ')})`)
  return `(${words.join(', ')})`
}

function printSettings(settings: tree.SampleSettings['settings']): string[] {
  // Their names are words, never in quotes.
  return settings.map(({ name, value }) => `${name.text} = ${print(value)}`)
}

function print(node: Expression): string {
  return printExpression(node, { keywords: KEYWORDS, foreign: printPart })
}

function printPart({ part }: ForeignNode): string {
  const own = part as tree.SqlPart
  switch (own.is) {
    case 'column': {
      const name = own.isQuoted ? quoteName(own.name.text) : own.name.text
      return own.table === undefined ? name : `${printNameOf(own.table)}.${name}`
    }
    case 'aggregate': {
      const args = own.args.length === 0 ? '*' : own.args.map(print).join(', ')
      return `${own.name}(${own.isDistinct ? 'DISTINCT ' : ''}${args})`
    }
    case 'query':
      return `(${printQuery(own.query)})`
    case 'rows':
      return printQuery(own.query)
    case 'exists':
      return `EXISTS (${printQuery(own.query)})`
    case 'sample':
      return `Sample${printSample(own.settings)}`
    case 'label':
      return `label(${quote(own.name)})`
    case 'now':
      return 'now()'
  }
}

function printNames(names: readonly tree.SqlName[]): string {
  return names.map(printNameOf).join(', ')
}

function printNameOf({ text }: tree.SqlName): string {
  return printName(text, KEYWORDS)
}

function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
