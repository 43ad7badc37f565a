/** Products and quotients of doubles whose rounding is known, by Dekker, Veltkamp and Ziv. */

/** Splits 53 bits into two halves whose products are exact. */
const SPLITTER = 2 ** 27 + 1

/** More than all that the remainder's own rounding can add to it, far less than what rounding sees. */
const ZIV_MARGIN = 1 + 2 ** -20

/**
 * What a rounded product of two doubles lost: left · right - product, exactly, as long as nothing
 * overflows and the product of their lowest bits is a double.
 */
export function productError(left: number, right: number, product: number): number {
  const leftSpread = left * SPLITTER
  const leftHigh = leftSpread - (leftSpread - left)
  const leftLow = left - leftHigh
  const rightSpread = right * SPLITTER
  const rightHigh = rightSpread - (rightSpread - right)
  const rightLow = right - rightHigh
  return (
    leftHigh * rightHigh - product + leftHigh * rightLow + leftLow * rightHigh + leftLow * rightLow
  )
}

/**
 * (head + tail) / divisor, rounded once. Requires that head is the double nearest to head + tail and well inside the
 * range of doubles, and that divisor is a whole number up to 2⁵³. Returns undefined in the rare case where the
 * remainder does not determine the nearest double.
 */
export function roundedQuotient(head: number, tail: number, divisor: number): number | undefined {
  const near = head / divisor
  const product = near * divisor
  // The remainder of a rounded quotient is a double, and head - product is exact: both lie close.
  const remainder = head - product - productError(near, divisor, product)
  const rest = remainder + tail
  const more = rest / divisor
  const quotient = near + more
  const left = more - (quotient - near)
  // |more| is below 3 units in the last place of the quotient, so its error of 2⁻⁵¹ times that is
  // far below the margin wherever `left` comes close to half a unit.
  if (quotient + left * ZIV_MARGIN === quotient) return quotient
  // Close to the middle of two doubles. Exactly in it, as half of an odd number, the addition above
  // has rounded to even; that is so when nothing was lost on the way to it.
  const isRestExact = rest - remainder === tail && rest - tail === remainder
  const back = more * divisor
  const isExact = isRestExact && back === rest && productError(more, divisor, back) === 0
  return isExact ? quotient : undefined
}
