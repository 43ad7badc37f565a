import { isShownBy } from '../../feed/plain.ts'

/** A number of a body that its double does not show exactly, as it was written. */
export class LongNumber {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  /** The nearest double; an infinity for a number beyond all of them. */
  get nearest(): number {
    return Number(this.text)
  }

  /** How messages show it. */
  toJSON(): number {
    return this.nearest
  }
}

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown

/** JSON.parse, with a LongNumber in place of each number whose digits would be lost. */
export function parseWithDigits(text: string): unknown {
  const revive: Reviver = (_key, value, { source = '' }) =>
    typeof value !== 'number' || isShownBy(source, value) ? value : new LongNumber(source)
  return JSON.parse(text, revive as Parameters<typeof JSON.parse>[1])
}
