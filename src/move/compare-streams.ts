/** Reads streams back on both sides and compares them. */
import { compareBodies } from './move-bodies.ts'
import type { MoveParts, StreamPair } from './move-side.ts'
import { copyAgain, STREAMS_AT_ONCE } from './move-streams.ts'
import { digestStream, type StreamDigest } from './stream-digest.ts'
import { fromTime, pagesOf } from './stream-pages.ts'

/** What reading both sides came to. */
interface ComparedStreams {
  readonly streams: number
  readonly samples: number
  readonly files: number
  readonly differing: readonly string[]
}

/**
 * Reads every stream on both sides. One that differs, as its source has changed since it was copied, is copied
 * once more where `mayRepair` allows it, and read again.
 */
export async function compareStreams(
  parts: MoveParts,
  pairs: readonly StreamPair[],
  mayRepair: boolean,
): Promise<ComparedStreams> {
  const { source, target, onMoved } = parts
  const differing: string[] = []
  const queue = pairs.values()
  let [streams, samples, files] = [0, 0, 0]
  const compare = async (pair: StreamPair): Promise<string | undefined> => {
    const wanted = await digestStream(source.samples, pair.source)
    const there = await digestStream(target.samples, pair.target)
    samples += wanted.count
    return isSame(wanted, there) ? undefined : `stream ${pair.uid}: ${difference(wanted, there)}`
  }
  const worker = async (): Promise<void> => {
    for (const pair of queue) {
      let difference = await compare(pair)
      if (difference !== undefined && mayRepair) {
        await copyAgain(parts, pair)
        difference = await compare(pair)
      }
      if (difference !== undefined) differing.push(difference)
      if (pair.hasFiles) {
        const bodies = await compareFiles(parts, pair)
        files += bodies.count
        differing.push(...bodies.differing)
      }
      streams += 1
      onMoved(`checking samples: ${samples} of ${streams} streams of ${pairs.length}`)
    }
  }
  await Promise.all(Array.from({ length: STREAMS_AT_ONCE }, worker))
  return { streams, samples, files, differing }
}

async function compareFiles(
  parts: MoveParts,
  pair: StreamPair,
): Promise<{ count: number; differing: string[] }> {
  const differing: string[] = []
  let count = 0
  for await (const { samples } of pagesOf(parts.source.samples, fromTime(pair.source))) {
    const page = await compareBodies(parts, samples)
    count += page.count
    differing.push(...page.differing)
  }
  return { count, differing }
}

function isSame(a: StreamDigest, b: StreamDigest): boolean {
  return a.count === b.count && a.first === b.first && a.last === b.last && a.sha256 === b.sha256
}

function difference(wanted: StreamDigest, there: StreamDigest): string {
  if (wanted.count !== there.count) return `${there.count} samples instead of ${wanted.count}`
  return 'same number of samples, but different ones'
}
