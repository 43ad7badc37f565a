type Column = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array

/**
 * A typed column with room for `length` entries: itself, or a copy of at least twice the size, whose
 * further entries are `fill`.
 */
export function growColumn<T extends Column>(column: T, length: number, fill = 0): T {
  if (length <= column.length) return column
  const Same = column.constructor as new (size: number) => T
  const grown = new Same(Math.max(length, column.length * 2))
  grown.set(column)
  if (fill !== 0) grown.fill(fill, column.length)
  return grown
}
