import type { Random } from '../support/random.ts'

/** Bytes that were written and not synced. */
export interface Write {
  readonly at: number
  readonly bytes: Uint8Array
}

/** What a disk keeps or loses as a whole: a page of the cache, or a sector. */
const GRANULES = [4096, 4096, 512]

/**
 * A file after a power cut: what was synced, and of each page that was written since the state after
 * any number of its writes. The length is one of those that the file had on the way.
 */
export function survivingBytes(
  durable: Uint8Array,
  writes: readonly Write[],
  random: Random,
): Uint8Array {
  if (writes.length === 0) return durable
  const granule = random.pick(GRANULES)
  const luck = random.pick([0, 0.3, 0.7, 0.9, 1])
  const end = Math.max(durable.length, ...writes.map(({ at, bytes }) => at + bytes.length))
  const result = new Uint8Array(end)
  result.set(durable)
  const stuck = new Set<number>()
  for (const { at, bytes } of writes) {
    const last = Math.ceil((at + bytes.length) / granule)
    for (let page = Math.floor(at / granule); page < last; page += 1) {
      if (stuck.has(page)) continue
      if (random.next() >= luck) {
        stuck.add(page)
        continue
      }
      const from = Math.max(at, page * granule)
      const until = Math.min(at + bytes.length, (page + 1) * granule)
      result.set(bytes.subarray(from - at, until - at), from)
    }
  }
  return result.subarray(0, survivingLength(durable, writes, random)).slice()
}

function survivingLength(durable: Uint8Array, writes: readonly Write[], random: Random): number {
  const reached = random.integer(0, writes.length + 1)
  const ends = writes.slice(0, reached).map(({ at, bytes }) => at + bytes.length)
  return Math.max(durable.length, ...ends)
}

/** A file on its way from one content to another when the power goes, page by page. */
export function tornBetween(before: Uint8Array, after: Uint8Array, random: Random): Uint8Array {
  // As far as they differ in length: what was cut off is gone or is not.
  const kept =
    after.length < before.length && random.next() < 0.5 ? before : before.subarray(0, after.length)
  const writes: Write[] = []
  for (let at = 0; at < after.length; at += 512) {
    const bytes = after.subarray(at, at + 512)
    if (Buffer.compare(bytes, before.subarray(at, at + 512)) !== 0) writes.push({ at, bytes })
  }
  return survivingBytes(kept, writes, random)
}
