/** How many of the first `count` entries, which ascend, are at most `value`. */
export function countAtMost(
  column: ArrayLike<number>,
  value: number,
  count = column.length,
): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >>> 1
    if (column[middle] <= value) low = middle + 1
    else high = middle
  }
  return low
}

/** How many of the first `count` entries, which ascend, are below `value`. */
export function countBelow(
  column: ArrayLike<number>,
  value: number,
  count = column.length,
): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >>> 1
    if (column[middle] < value) low = middle + 1
    else high = middle
  }
  return low
}
