/** The left value axis as it is drawn, and the values that can be chosen on it. */
import type { Precision } from './digits.ts'

/** Where the plot lies in its chart, in CSS pixels, and which values its left axis shows. */
export interface ValueScale {
  readonly min: number
  readonly max: number
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

const SIDES = ['min', 'max', 'left', 'top', 'width', 'height'] as const

/** Digits behind the point that a number can be written with. */
const DECIMALS_MAX = 20

/** Whether two scales draw every value at the same place. */
export function isSameScale(one: ValueScale | undefined, other: ValueScale): boolean {
  return one !== undefined && SIDES.every((side) => one[side] === other[side])
}

/** How far a value is below the top of the plot, in pixels. */
export function heightOfValue({ min, max, height }: ValueScale, value: number): number {
  return height * (1 - (value - min) / (max - min))
}

/** The value at a distance in pixels below the top of the plot; places outside of it count as its edge. */
export function valueAtHeight({ min, max, height }: ValueScale, y: number): number {
  return max - (Math.min(Math.max(y, 0), height) / height) * (max - min)
}

/**
 * Rounds a value to what a pixel of the axis can tell apart, and never finer than the source: 27.5 and not 27.4983.
 */
export function roundedFor(
  scale: ValueScale,
  precision: Precision | undefined,
  value: number,
): number {
  const power = Math.max(Math.floor(Math.log10(pixelOf(scale))), finestOf(precision))
  if (power > 0) return Math.round(value / 10 ** power) * 10 ** power
  return Number(value.toFixed(Math.min(-power, DECIMALS_MAX)))
}

/** The step of an arrow key: a power of ten that is at least a pixel, and at least a digit of the source. */
export function keyStepOf(scale: ValueScale, precision: Precision | undefined): number {
  return 10 ** Math.max(Math.ceil(Math.log10(pixelOf(scale))), finestOf(precision))
}

function pixelOf({ min, max, height }: ValueScale): number {
  return (max - min) / Math.max(height, 1)
}

function finestOf(precision: Precision | undefined): number {
  return -(precision?.decimals ?? DECIMALS_MAX)
}
