import { LONG_VALUE_MARK } from './put-template.ts'

const COUNT = 1 << 15
const DIGITS = 17

/** Doubles of 17 digits between 10 and 100 as programs print them, each a small step from the one before. */
export const longValues: Uint8Array = makeValues()

/** Where the text of a value begins; the values repeat after some ten thousand. */
export function longValueAt(index: number): number {
  return (index % COUNT) * LONG_VALUE_MARK.length
}

function makeValues(): Buffer {
  const texts: string[] = []
  let state = 1
  let value = 42
  while (texts.length < COUNT) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    const moved = value + state / 2 ** 32 - 0.5
    if (moved > 10.5 && moved < 99.5) value = moved
    const text = String(value)
    if (text.length === DIGITS + 1) texts.push(text)
  }
  return Buffer.from(texts.join(''), 'latin1')
}
