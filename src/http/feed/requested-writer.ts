import { type RequestedAnswer, type RequestedValue, showNumber } from '../../feed/index.ts'

function show(value: RequestedValue): string {
  return typeof value === 'number' ? showNumber(value) : JSON.stringify(value)
}

/** The key under which streams are told that were created for the answer. */
const MISSING = 'missing'

/**
 * The answer of a put with rsid: one compact object of last values, native numbers and booleans. A
 * requested stream that is itself called "missing" has that key; created streams are not told then.
 */
export function writeRequested(compId: string, { values, missing }: RequestedAnswer): string {
  const members = values.map(([streamId, value]) => `${JSON.stringify(streamId)}:${show(value)}`)
  const isTaken = values.some(([streamId]) => streamId === MISSING)
  if (missing.length > 0 && !isTaken) {
    const items = missing.map((itemId) => ({ itemType: 'stream', itemId, componentId: compId }))
    members.push(`"${MISSING}":${JSON.stringify(items)}`)
  }
  return `{${members.join(',')}}`
}
