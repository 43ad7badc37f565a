import type { IncomingSamples } from '../feed/index.ts'

/** What a sample takes in the columns and in the journal's frame, and what a text adds to it. */
const SAMPLE_BYTES = 41
const TEXT_BYTES = 64
const TARGET_BYTES = 300

/** What samples take until they are durable: their columns, the journal's frame, texts, targets. */
export function bytesOfSamples({ handles, count, texts, open }: IncomingSamples): number {
  const textBytes = (texts?.length ?? 0) * TEXT_BYTES
  return Math.max(handles.length, count) * SAMPLE_BYTES + textBytes + open.length * TARGET_BYTES
}
