/** A typed column with room for `length` entries: itself, or a copy of at least twice the size. */
export function widened<T extends Uint8Array | Uint16Array | Uint32Array>(
  column: T,
  length: number,
): T {
  if (length <= column.length) return column
  const Column = column.constructor as new (size: number) => T
  const wider = new Column(Math.max(length, column.length * 2))
  wider.set(column)
  return wider
}
