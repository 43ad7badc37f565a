import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { scanRecords } from './record.ts'
import { scanSegment } from './scan.ts'
import { segmentNumberOf } from './segment.ts'

/** The greatest handle that segments after a sealed one have samples or removals of, 0 for none; changes nothing. */
export function greatestHandle(folder: string, sealedSegment: number): number {
  let greatest = 0
  for (const name of readdirSync(folder)) {
    const segment = segmentNumberOf(name)
    if (segment === undefined || segment <= sealedSegment) continue
    // A pool's buffer would not be aligned.
    const bytes = new Uint8Array(readFileSync(join(folder, name)))
    for (const { records } of scanSegment(bytes).frames) {
      scanRecords(records, ({ handlesAt, count, removalCount }) => {
        const handles = new Uint32Array(records.buffer, handlesAt, count + removalCount)
        for (const handle of handles) if (handle > greatest) greatest = handle
      })
    }
  }
  return greatest
}
