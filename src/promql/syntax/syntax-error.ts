import { PromqlError } from '../promql-error.ts'

/** Line and column of a character, both from 1, as Prometheus counts them: columns are bytes. */
export function placeText(query: string, index: number): string {
  const before = query.slice(0, index)
  const lineStart = before.lastIndexOf('\n') + 1
  const line = before.split('\n').length
  return `${line}:${Buffer.byteLength(before.slice(lineStart)) + 1}`
}

/** The error of a query that is no PromQL, with the place where it goes wrong. */
export function syntaxError(query: string, index: number, message: string): PromqlError {
  return new PromqlError('bad_data', `${placeText(query, index)}: parse error: ${message}`)
}

/** A text in double quotes, as Prometheus shows it in errors. */
export function inQuotes(text: string): string {
  return JSON.stringify(text)
}
