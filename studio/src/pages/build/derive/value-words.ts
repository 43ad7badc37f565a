type Value = number | string | boolean | null

/** A value as people read it; nothing is a dash. */
export function valueWords(value: Value): string {
  if (value === null) return '–'
  return String(value)
}

/** Why a formula failed, and on what. */
export function failureWords(message: string, values: Readonly<Record<string, Value>>): string {
  const given = Object.entries(values).map(([name, value]) => `${name} = ${valueWords(value)}`)
  return given.length === 0 ? message : `${message} (${given.join(', ')})`
}
