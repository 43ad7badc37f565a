/** Small tools for columns that grow. */

/** A copy of an array with room for at least `length` entries, at least twice as long. */
export function growInt32(array: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const grown = new Int32Array(Math.max(length, array.length * 2))
  grown.set(array)
  return grown
}

/** As growInt32, for doubles. */
export function growFloat64(array: Float64Array, length: number): Float64Array<ArrayBuffer> {
  const grown = new Float64Array(Math.max(length, array.length * 2))
  grown.set(array)
  return grown
}
