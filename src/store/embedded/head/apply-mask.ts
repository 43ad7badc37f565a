import { countBelow } from '../../../base/plain.ts'
import type { SampleColumns } from '../../ports/sample-port.ts'
import { concatColumns, sliceColumns } from '../chunk/index.ts'
import { firstEndAfter, type Mask, touchesMask } from './tombstones.ts'

/** The samples that a mask does not hide; looks at the spans that lie among them only. */
export function applyMask(columns: SampleColumns, mask: Mask): SampleColumns {
  const { count, times } = columns
  if (count === 0 || !touchesMask(mask, times[0], times[count - 1] + 1)) return columns
  const kept: SampleColumns[] = []
  let at = 0
  for (let index = firstEndAfter(mask, times[0]); index < mask.starts.length; index += 1) {
    if (mask.starts[index] > times[count - 1]) break
    const start = countBelow(times, mask.starts[index], count)
    if (start > at) kept.push(sliceColumns(columns, at, start))
    at = countBelow(times, mask.ends[index], count)
  }
  if (at < count) kept.push(sliceColumns(columns, at, count))
  return concatColumns(kept)
}
