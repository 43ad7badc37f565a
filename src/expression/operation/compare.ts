import type { Present } from './operation.ts'

/**
 * Below 0, 0 or above 0 by the one order of all values: numbers by amount, however they are kept, and
 * behind them texts by code points; TRUE is 1 and FALSE 0.
 */
export function compareValues(left: Present, right: Present): number {
  const isLeftText = typeof left === 'string'
  const isRightText = typeof right === 'string'
  if (isLeftText && isRightText) return compareTexts(left, right)
  if (isLeftText) return 1
  if (isRightText) return -1
  // JavaScript compares numbers and bigints by their amounts, without rounding either.
  if (left < right) return -1
  return left > right ? 1 : 0
}

/** Compares texts by code points, which is the order of their UTF-8 bytes in SQLite. */
function compareTexts(left: string, right: string): number {
  if (left === right) return 0
  const length = Math.min(left.length, right.length)
  for (let at = 0; at < length; at++) {
    const difference = left.charCodeAt(at) - right.charCodeAt(at)
    if (difference !== 0) return rank(left.charCodeAt(at)) - rank(right.charCodeAt(at))
  }
  return left.length - right.length
}

/** Surrogates stand for code points behind U+FFFF, but have units below U+E000. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}
