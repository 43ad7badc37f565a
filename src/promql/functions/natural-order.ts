import { compareTexts } from '../series/label-list.ts'

/** Compares texts so that numbers in them count as numbers: "a2" comes before "a10". */
export function compareNaturally(a: string, b: string): number {
  const left = chunksOf(a)
  const right = chunksOf(b)
  const length = Math.min(left.length, right.length)
  for (let at = 0; at < length; at++) {
    if (left[at] === right[at]) continue
    const leftNumber = wholeNumber(left[at])
    const rightNumber = wholeNumber(right[at])
    if (leftNumber !== undefined && rightNumber !== undefined && leftNumber !== rightNumber) {
      return leftNumber < rightNumber ? -1 : 1
    }
    if (leftNumber === undefined || rightNumber === undefined) {
      return compareTexts(left[at], right[at])
    }
    // Equal numbers with different zeros in front: the longer text comes first.
    if (left[at].length !== right[at].length) return right[at].length - left[at].length
  }
  return left.length - right.length
}

function chunksOf(text: string): string[] {
  return text.match(/[0-9]+|[^0-9]+/g) ?? []
}

function wholeNumber(text: string): bigint | undefined {
  return /^[0-9]/.test(text) ? BigInt(text) : undefined
}
