import { nextIteration } from './pacer.ts'

/** Items that are sorted, or merged, in one slice: about two milliseconds. */
const SLICE = 4_096

/** A sorted copy of the items; items that compare as equal keep their order. Other calls run between slices. */
export async function sortInSlices<T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
): Promise<T[]> {
  let runs: T[][] = []
  for (let at = 0; at < items.length; at += SLICE) {
    if (at > 0) await nextIteration()
    runs.push(items.slice(at, at + SLICE).sort(compare))
  }
  while (runs.length > 1) {
    const merged: T[][] = []
    for (let at = 0; at < runs.length; at += 2) {
      const [a, b] = [runs[at], runs[at + 1]]
      merged.push(b === undefined ? a : await merge(a, b, compare))
    }
    runs = merged
  }
  return runs[0] ?? []
}

async function merge<T>(
  a: readonly T[],
  b: readonly T[],
  compare: (a: T, b: T) => number,
): Promise<T[]> {
  const merged: T[] = []
  let [fromA, fromB] = [0, 0]
  while (fromA < a.length && fromB < b.length) {
    if (merged.length % SLICE === SLICE - 1) await nextIteration()
    merged.push(compare(a[fromA], b[fromB]) <= 0 ? a[fromA++] : b[fromB++])
  }
  while (fromA < a.length) merged.push(a[fromA++])
  while (fromB < b.length) merged.push(b[fromB++])
  return merged
}
