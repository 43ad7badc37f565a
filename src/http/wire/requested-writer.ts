import { type RequestedAnswer, type RequestedValue, showNumber } from '../../feed/index.ts'

function show(value: RequestedValue): string {
  return typeof value === 'number' ? showNumber(value) : JSON.stringify(value)
}

/** The answer of a put with rsid: one compact object of last values, native numbers and booleans. */
export function writeRequested(compId: string, { values, missing }: RequestedAnswer): string {
  const members = values.map(([streamId, value]) => `${JSON.stringify(streamId)}:${show(value)}`)
  if (missing.length > 0) {
    const items = missing.map((itemId) => ({ itemType: 'stream', itemId, componentId: compId }))
    members.push(`"missing":${JSON.stringify(items)}`)
  }
  return `{${members.join(',')}}`
}
