declare const unit: unique symbol

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type EpochMs = number & { readonly [unit]: 'EpochMs' }

/** Brands a number the caller knows to be a time. */
export function epochMs(value: number): EpochMs {
  return value as EpochMs
}

/** The earliest time a sample may have: 1900-01-01T00:00:00Z. */
export const EARLIEST_TIME = epochMs(-2_208_988_800_000)

/** The first time a sample may no longer have: 2262-01-01T00:00:00Z, near where 64-bit nanoseconds end. */
export const TIME_END = epochMs(9_214_646_400_000)

/** Whether a number is a time a sample may have: whole milliseconds within the years 1900 to 2261. */
export function isSampleTime(value: number): value is EpochMs {
  return Number.isInteger(value) && value >= EARLIEST_TIME && value < TIME_END
}
