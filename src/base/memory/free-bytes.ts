/**
 * Gives the memory behind an array back at once instead of at the collector's next full run, which
 * memory outside the heap can be long before. Only for its one owner, when nobody reads it any more;
 * memory of which the array is only a part stays.
 */
export function freeBytes(array: NodeJS.TypedArray): void {
  const { buffer, byteLength } = array
  if (byteLength < buffer.byteLength || !(buffer instanceof ArrayBuffer)) return
  if (byteLength > 0) buffer.transfer(0)
}
