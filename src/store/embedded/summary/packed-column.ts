import { type BitReader, type BitWriter, bitLength } from '../chunk/bits.ts'

/** Whole numbers up to here, of either sign, can be packed: their differences stay exact. */
export const PACKED_MAX = 2 ** 51

/** Widths are from 0 to 53 bits. */
const WIDTH_BITS = 6

/**
 * Packs a short column of whole numbers without gaps: width and least value, then width and what
 * each value has more.
 */
export function writePacked(bits: BitWriter, values: Float64Array): void {
  let least = values[0]
  let greatest = values[0]
  for (let index = 1; index < values.length; index++) {
    const value = values[index]
    if (value < least) least = value
    else if (value > greatest) greatest = value
  }
  const zigzag = least >= 0 ? least * 2 : -least * 2 - 1
  const leastWidth = bitLength(zigzag)
  const width = bitLength(greatest - least)
  bits.write(leastWidth, WIDTH_BITS)
  bits.write(zigzag, leastWidth)
  bits.write(width, WIDTH_BITS)
  if (width === 0) return
  for (let index = 0; index < values.length; index++) bits.write(values[index] - least, width)
}

/** Reads a column of some length that writePacked wrote into the first places of another. */
export function readPacked(bits: BitReader, into: Float64Array, length: number): void {
  const form = readForm(bits)
  if (form.width === 0) into.fill(form.least, 0, length)
  else bits.readInto(into, length, form)
}

/** Passes over a column of some length that writePacked wrote. */
export function skipPacked(bits: BitReader, length: number): void {
  bits.skip(readForm(bits).width * length)
}

function readForm(bits: BitReader): { readonly width: number; readonly least: number } {
  const zigzag = bits.read(bits.read(WIDTH_BITS))
  const least = zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2
  return { width: bits.read(WIDTH_BITS), least }
}
