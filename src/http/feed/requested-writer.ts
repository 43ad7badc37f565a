import { nextIteration } from '../../base/index.ts'
import { showNumber } from '../../feed/index.ts'
import type { RequestedAnswer, RequestedValue } from '../../feed/put/index.ts'

/** The most bytes of a character of a text in JSON. */
const ESCAPED_BYTES = 6

/** An answer is written in slices of about this length. Other calls run in between. */
const SLICE_LENGTH = 1024 * 1024

function show(value: RequestedValue): string {
  return typeof value === 'number' ? showNumber(value) : JSON.stringify(value)
}

/** At most the bytes of the texts in the answer of a put with rsid. */
export function countRequestedBytes({ values }: RequestedAnswer): number {
  let length = 0
  for (const [, value] of values) if (typeof value === 'string') length += value.length
  return ESCAPED_BYTES * length
}

/** The key under which the response lists created streams. */
const MISSING = 'missing'

/**
 * The answer of a put with rsid: one compact object of last values, native numbers and booleans. A
 * requested stream that is itself called "missing" has that key; created streams are not listed then.
 */
export async function writeRequested(
  compId: string,
  { values, missing }: RequestedAnswer,
): Promise<string> {
  const members: string[] = []
  let length = 0
  for (const [streamId, value] of values) {
    const member = `${JSON.stringify(streamId)}:${show(value)}`
    members.push(member)
    length += member.length
    if (length < SLICE_LENGTH) continue
    length = 0
    await nextIteration()
  }
  const isTaken = values.some(([streamId]) => streamId === MISSING)
  if (missing.length > 0 && !isTaken) {
    const items = missing.map((itemId) => ({ itemType: 'stream', itemId, componentId: compId }))
    members.push(`"${MISSING}":${JSON.stringify(items)}`)
  }
  return `{${members.join(',')}}`
}
