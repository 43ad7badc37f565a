/** The text of a command's result for people: a block of lines per record. */
export function printResult(result: unknown): string {
  if (Array.isArray(result)) {
    return result.length === 0 ? '(none)' : result.map(printRecord).join('\n\n')
  }
  return printRecord(result)
}

function printRecord(record: unknown): string {
  const entries = Object.entries(record as Record<string, unknown>)
  const width = Math.max(...entries.map(([name]) => name.length))
  return entries
    .map(([name, value]) => `${name.padEnd(width)}  ${printValue(value)}`.trimEnd())
    .join('\n')
}

function printValue(value: unknown): string {
  return Array.isArray(value) ? value.join('; ') : String(value)
}
