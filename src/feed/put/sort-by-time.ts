import { ITEMS_PER_SLICE, inSlices } from '../../base/index.ts'

/** Whether the times of the samples never go back, as those of nearly every upload. */
function isAscending(times: Float64Array, indexes: ArrayLike<number>): boolean {
  for (let at = 1; at < indexes.length; at++) {
    if (times[indexes[at]] < times[indexes[at - 1]]) return false
  }
  return true
}

/**
 * The indexes of samples, given in the order they came, in the order of their times; of two at the
 * same time the one that came later stays last. Many are sorted with turns for other calls.
 */
export async function sortByTime(
  times: Float64Array,
  indexes: readonly number[],
): Promise<ArrayLike<number>> {
  if (isAscending(times, indexes)) return indexes
  let order = Uint32Array.from(indexes)
  await inSlices(order.length, (from, until) => {
    order.subarray(from, until).sort((a, b) => times[a] - times[b] || a - b)
  })
  let merged = new Uint32Array(order.length)
  for (let length = ITEMS_PER_SLICE; length < order.length; length *= 2) {
    await inSlices(order.length, pairMerger(times, { order, merged, length }))
    ;[order, merged] = [merged, order]
  }
  return order
}

/** Merges neighbouring sorted runs of a length in pairs, as far as it is asked to at a time. */
function pairMerger(
  times: Float64Array,
  runs: { readonly order: Uint32Array; readonly merged: Uint32Array; readonly length: number },
): (from: number, until: number) => void {
  const { order, merged, length } = runs
  let [left, leftEnd, right, rightEnd] = [0, 0, 0, 0]
  return (from, until) => {
    for (let at = from; at < until; at++) {
      if (at === rightEnd) {
        left = at
        leftEnd = Math.min(at + length, order.length)
        right = leftEnd
        rightEnd = Math.min(leftEnd + length, order.length)
      }
      const isRightSpent = right === rightEnd
      const isLeftFirst = left < leftEnd && times[order[left]] <= times[order[right]]
      merged[at] = isRightSpent || isLeftFirst ? order[left++] : order[right++]
    }
  }
}
