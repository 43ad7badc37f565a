/** Writes the tables of functions in docs/expressions.md from the table that the language runs by. */
import { readFileSync, writeFileSync } from 'node:fs'
import {
  type ExpressionFunction,
  type ExpressionValue,
  expressionFunctions,
  signatureOf,
} from '../src/expression/index.ts'

const PAGE = 'docs/expressions.md'
const BEGIN = '<!-- functions: made by `npm run docs` from src/expression -->'
const END = '<!-- end of functions -->'

/** The page with its tables as the functions are. */
export function renderExpressionDocs(page: string): string {
  const from = page.indexOf(BEGIN)
  const until = page.indexOf(END)
  if (from < 0 || until < from) throw new Error(`${PAGE} has no place for the functions`)
  return `${page.slice(0, from)}${BEGIN}\n${renderTables()}\n${page.slice(until)}`
}

function renderTables(): string {
  const groups = Map.groupBy(expressionFunctions, ({ group }) => group)
  const tables = [...groups].map(([group, entries]) =>
    [
      `\n### ${group}\n`,
      '| function | takes | result | what it gives | example |',
      '|---|---|---|---|---|',
      ...entries.map(renderRow),
    ].join('\n'),
  )
  return tables.join('\n')
}

function renderRow(entry: ExpressionFunction): string {
  const takes = entry.parameters.map(({ kind }) => kind)
  const examples = entry.examples.map(([text, result]) => `${code(text)} → ${code(show(result))}`)
  const cells = [
    code(signatureOf(entry)),
    takes.length === 0 ? '–' : takes.join(', '),
    entry.result,
    entry.help,
    examples.join('<br>'),
  ]
  return `| ${cells.join(' | ')} |`
}

function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``
}

function show(value: ExpressionValue): string {
  if (value === null) return 'NULL'
  if (typeof value === 'string') return `'${value}'`
  return typeof value === 'boolean' ? String(value).toUpperCase() : String(value)
}

if (import.meta.main) writeFileSync(PAGE, renderExpressionDocs(readFileSync(PAGE, 'utf8')))
