import { epochMs } from '../base/index.ts'
import type { Removal, SampleColumns, SampleStore, StreamHandle } from '../store/index.ts'
import type { Range } from '../time/index.ts'

/** What a span of a stream has to become. */
interface Wanted {
  readonly samples: SampleColumns
  readonly span: Range
}

/** What has to be stored for it. */
interface Difference {
  readonly samples: SampleColumns
  readonly removal: Removal | undefined
}

/** Samples that are there beyond those wanted, before a span is replaced as a whole. */
const SURPLUS_MAX = 20_000

/**
 * The smallest span in which a stream differs from its expected samples. Only this span is replaced, so that followers
 * of the stream receive only what changed.
 */
export async function differenceOf(
  store: Pick<SampleStore, 'range'>,
  handle: StreamHandle,
  { samples, span }: Wanted,
): Promise<Difference> {
  const { count } = samples
  const stored = await store.range(handle, {
    from: epochMs(span.from),
    until: epochMs(span.until),
    limit: count + SURPLUS_MAX,
    order: 'oldest_first',
  })
  if (stored.count >= count + SURPLUS_MAX) {
    return { samples, removal: removalOf(handle, span) }
  }
  let same = 0
  while (same < count && same < stored.count && isSame(samples, same, stored, same)) same += 1
  if (same === count && same === stored.count)
    return { samples: part(samples, 0, 0), removal: undefined }
  let behind = 0
  const most = Math.min(count, stored.count) - same
  while (behind < most && isSame(samples, count - 1 - behind, stored, stored.count - 1 - behind)) {
    behind += 1
  }
  const changed = part(samples, same, count - behind)
  const gone = stored.times.subarray(same, stored.count - behind)
  if (gone.length === 0) return { samples: changed, removal: undefined }
  const from = Math.min(gone[0], changed.times[0] ?? gone[0])
  const last = Math.max(gone[gone.length - 1], changed.times[changed.count - 1] ?? gone[0])
  return { samples: changed, removal: removalOf(handle, { from, until: last + 1 }) }
}

function removalOf(handle: StreamHandle, { from, until }: Range): Removal {
  return { handle, from: epochMs(from), until: epochMs(until) }
}

function isSame(one: SampleColumns, at: number, other: SampleColumns, place: number): boolean {
  if (one.times[at] !== other.times[place]) return false
  const [text, otherText] = [one.texts?.[at], other.texts?.[place]]
  if (text !== undefined || otherText !== undefined) return text === otherText
  // Minus zero is stored and shown as such.
  return Object.is(one.numbers[at], other.numbers[place])
}

function part(
  { times, numbers, texts }: SampleColumns,
  from: number,
  until: number,
): SampleColumns {
  return {
    count: until - from,
    times: times.subarray(from, until),
    numbers: numbers.subarray(from, until),
    ...(texts === undefined ? {} : { texts: texts.slice(from, until) }),
  }
}
