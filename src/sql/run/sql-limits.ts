/** The longest text or row: a body of the greatest length, once more as a result. */
export const SQL_TEXT_BYTES_MAX = 20_000_000

/** The longest statement for SQLite: what the compiler prints of the longest text it takes stays below. */
export const SQL_LENGTH_MAX = 8_000_000
