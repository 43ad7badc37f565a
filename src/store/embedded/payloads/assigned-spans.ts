/** Assigned times as they are kept: `handle,from,count` and, unless it is 1, the step, joined by semicolons. */
import { type AssignedSpan, PayloadDamaged } from '../../ports/payload-port.ts'
import type { StreamHandle } from '../../ports/sample-port.ts'

/** The text of spans. */
export function writeSpans(spans: readonly AssignedSpan[]): string {
  return spans
    .map(({ handle, from, count, step = 1 }) =>
      step === 1 ? `${handle},${from},${count}` : `${handle},${from},${count},${step}`,
    )
    .join(';')
}

/** The spans of a text; refuses as damaged what `writeSpans` does not write. */
export function readSpans(text: string): AssignedSpan[] {
  if (text === '') return []
  return text.split(';').map((span) => {
    const [handle, from, count, step = 1] = span.split(',').map(Number)
    if (!(handle > 0 && Number.isSafeInteger(from) && count > 0 && step > 0)) {
      throw new PayloadDamaged(`"${span}" is no span of assigned times`)
    }
    const times = { handle: handle as StreamHandle, from, count }
    return step === 1 ? times : { ...times, step }
  })
}
