import {
  IncomingSamples,
  type OpenTarget,
  VALUE_LONG_NUMBER,
  VALUE_TEXT,
} from '../../feed/index.ts'
import type { ResultPart } from './result-file.ts'

/** What a put takes of memory for a sample and a stream, as calls of GS SQL count it. */
const SAMPLE_BYTES = 57
const TARGET_BYTES = 600

/** What the put of a part takes of memory. */
export function bytesOfPart({ block, streams }: ResultPart): number {
  const chars = block.texts?.reduce((sum, text) => sum + text.length, 0) ?? 0
  return block.count * (2 * SAMPLE_BYTES) + streams.length * TARGET_BYTES + 4 * chars
}

/** The samples of a part as a put takes them; `isTaken` answers by the number of a sample and its stream. */
export function samplesOf(
  part: ResultPart,
  isTaken: (number: number, stream: number) => boolean = () => true,
): IncomingSamples {
  const { block, first, names, streams } = part
  const samples = new IncomingSamples(Math.max(1, block.count))
  const targets: (OpenTarget | undefined)[] = streams.map(() => undefined)
  const sources: number[] = []
  for (let at = 0; at < block.count; at += 1) {
    const stream = block.streams[at]
    if (!isTaken(first + at, stream)) continue
    const { compId, streamId, rules } = streams[stream]
    targets[stream] ??= { ...rules, compId, streamId, samples: [] }
    targets[stream].samples.push(samples.count)
    sources.push(at)
    const kind = block.kinds[at]
    const hasText = kind === VALUE_TEXT || kind === VALUE_LONG_NUMBER
    const text = hasText ? (block.texts?.[at] ?? '') : undefined
    samples.add(0, block.times[at], { kind, number: block.numbers[at], text })
  }
  samples.form = 'rows'
  samples.nameOf = (index) => {
    const at = sources[index]
    return `row ${block.rows[at]} of ${names[block.statements[at]]}`
  }
  // Streams are made in the order in which the statements have named them.
  const order = streams.keys().toArray()
  order.sort((a, b) => streams[a].number - streams[b].number)
  for (const stream of order) {
    const target = targets[stream]
    if (target !== undefined) samples.open.push(target)
  }
  return samples
}
