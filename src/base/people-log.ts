import { styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

const STYLES: Readonly<Record<string, Style>> = {
  trace: 'gray',
  debug: 'gray',
  info: 'green',
  warn: 'yellow',
  error: 'red',
  fatal: 'red',
}

/** A long value would hide what happened. */
const VALUE_LENGTH_MAX = 300

/** Where a log writes its JSON lines to have them shown as text for people: time, level, what happened, with what. */
export function peopleLog(write: (line: string) => void): { write(line: string): void } {
  return { write: (line) => write(textOf(line)) }
}

function textOf(line: string): string {
  let record: Record<string, unknown>
  try {
    record = JSON.parse(line) as Record<string, unknown>
  } catch {
    return line
  }
  // The banner of the first start shows what it made.
  if ((record.audit as { actor?: string } | undefined)?.actor === 'first start') return ''
  const { time, level, msg, error, ...rest } = record
  const clock = new Date(String(time)).toLocaleTimeString('sv-SE')
  const name = styleText(STYLES[String(level)] ?? 'white', String(level).padEnd(5))
  const details = Object.entries(rest)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([key, value]) => `${styleText('gray', `${key}=`)}${shown(value)}`)
  const { stack, message } = (error ?? {}) as { stack?: string; message?: string }
  const errorLines = error === undefined ? [] : (stack ?? message ?? shown(error)).split('\n')
  const trouble = errorLines.map((one) => `\n  ${oneLine(one)}`).join('')
  return `${[clock, name, oneLine(String(msg ?? '')), ...details].join(' ')}${trouble}\n`
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return oneLine(text.length > VALUE_LENGTH_MAX ? `${text.slice(0, VALUE_LENGTH_MAX)}…` : text)
}

function hexOf(one: string): string {
  return one.charCodeAt(0).toString(16).padStart(4, '0')
}

/** What callers sent must not move the cursor or begin a line of its own. */
function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (one) => `\\u${hexOf(one)}`)
}
