/** How many entries of an ascending column are at most `value`. */
export function countAtMost(column: Float64Array, value: number): number {
  let low = 0
  let high = column.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (column[middle] <= value) low = middle + 1
    else high = middle
  }
  return low
}

/** How many entries of an ascending column are below `value`. */
export function countBelow(column: Float64Array, value: number): number {
  let low = 0
  let high = column.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (column[middle] < value) low = middle + 1
    else high = middle
  }
  return low
}
