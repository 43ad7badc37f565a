/** Assigned times as payloads.db holds them: `handle,from,count`, joined by semicolons. */
import { type AssignedSpan, PayloadDamaged } from '../../payload-port.ts'
import type { StreamHandle } from '../../sample-port.ts'

/** The text of spans. */
export function writeSpans(spans: readonly AssignedSpan[]): string {
  return spans.map(({ handle, from, count }) => `${handle},${from},${count}`).join(';')
}

/** The spans of a text; refuses as damaged what `writeSpans` does not write. */
export function readSpans(text: string): AssignedSpan[] {
  if (text === '') return []
  return text.split(';').map((span) => {
    const [handle, from, count] = span.split(',').map(Number)
    if (!(handle > 0 && Number.isSafeInteger(from) && count > 0)) {
      throw new PayloadDamaged(`"${span}" is no span of assigned times`)
    }
    return { handle: handle as StreamHandle, from, count }
  })
}
