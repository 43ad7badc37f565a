import type { Span } from './expression-types.ts'

/** Of a long line this much is shown around the mistake. */
const SHOWN_LENGTH = 100

/** A mistake in an expression, or one that it made on its values, with the place in its text. */
export class ExpressionError extends Error {
  /** The line and the column (in UTF-16 units) where the mistake begins, counted from 1. */
  readonly line: number
  readonly column: number
  /** How many characters of that line are meant; 0 at its end. */
  readonly length: number
  /** The line of the text, and below it a line that points at the mistake with ^^^. */
  readonly pointer: string

  constructor(message: string, text: string, { from, until }: Span) {
    super(message)
    this.name = 'ExpressionError'
    const lineStart = text.lastIndexOf('\n', from - 1) + 1
    const lineEnd = text.indexOf('\n', from) < 0 ? text.length : text.indexOf('\n', from)
    this.line = countLines(text, lineStart)
    this.column = from - lineStart + 1
    this.length = Math.max(0, Math.min(until, lineEnd) - from)
    this.pointer = pointAt(text.slice(lineStart, lineEnd), from - lineStart, this.length)
  }
}

function countLines(text: string, until: number): number {
  let lines = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < until; at = text.indexOf('\n', at + 1))
    lines += 1
  return lines
}

function pointAt(line: string, at: number, length: number): string {
  const from = line.length <= SHOWN_LENGTH ? 0 : Math.max(0, at - SHOWN_LENGTH / 2)
  const shown = line.slice(from, from + SHOWN_LENGTH).replace(/\r$/, '')
  const before = shown.slice(0, at - from).replace(/[^\t]/g, ' ')
  const marks = Math.max(1, Math.min(length, shown.length - (at - from)))
  return `${shown}\n${before}${'^'.repeat(marks)}`
}
