/** Parts of a media range: its name, and its weight where it has one. */
const MEDIA_RANGE = /^([a-z*]+\/[a-z*]+)(?:;q=([01](?:\.\d{0,3})?))?$/

/** Whether an Accept header names a type, and the other one not before it nor with more weight. */
export function prefers(accept: string | undefined, type: string, other: string): boolean {
  if (accept === undefined || !accept.toLowerCase().includes(type)) return false
  let best = { name: '', weight: 0 }
  for (const part of accept.toLowerCase().split(',')) {
    const [, name = '', weight = '1'] = MEDIA_RANGE.exec(withoutOthers(part)) ?? []
    const isNamed = name === type || name === other
    if (isNamed && Number(weight) > best.weight) best = { name, weight: Number(weight) }
  }
  return best.name === type
}

/** A media range with its weight alone of all parameters, and without blanks. */
function withoutOthers(range: string): string {
  const [name, ...parameters] = range.split(';').map((part) => part.trim())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))
  return weight === undefined ? name : `${name};${weight}`
}
