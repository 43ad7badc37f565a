import { JSON_DEPTH_MAX, SAMPLES_PER_CALL_MAX } from '../../base/plain.ts'
import { EXACT_DIGITS, isShownBy } from '../../feed/plain.ts'

/** The first place where bytes stop being JSON, counted in bytes from 0. */
interface JsonFault {
  readonly position: number
  readonly what: string
}

const OBJECT = 1
const ARRAY = 2

/** Says in words what stands at a position. */
function describe(bytes: Uint8Array, position: number): string {
  if (position >= bytes.length) return 'unexpected end of text'
  const byte = bytes[position]
  const isPrintable = byte > 0x20 && byte < 0x7f
  return `unexpected ${isPrintable ? `"${String.fromCharCode(byte)}"` : `byte 0x${byte.toString(16)}`}`
}

/**
 * The most values, counted with lists and objects, that are handed to JSON.parse: ten per sample of
 * the largest put. More would take many times the bytes of the body in memory.
 */
const JSON_VALUES_MAX = 10 * SAMPLES_PER_CALL_MAX

/**
 * Finds where bytes break the grammar of JSON or nest deeper than allowed; undefined when they do
 * neither, and then JSON.parse takes their text. It never recurses, so depth cannot exhaust it.
 */
export function findJsonFault(
  bytes: Uint8Array,
  valuesMax = JSON_VALUES_MAX,
): JsonFault | undefined {
  return new JsonScan(bytes, valuesMax).run()
}

/** As findJsonFault, and whether some number has digits that its double does not show. */
export function scanJson(bytes: Uint8Array): {
  readonly fault: JsonFault | undefined
  readonly hasLongNumber: boolean
} {
  const scan = new JsonScan(bytes, JSON_VALUES_MAX)
  const fault = scan.run()
  return { fault, hasLongNumber: scan.hasLongNumber }
}

class JsonScan {
  readonly #bytes: Uint8Array
  readonly #valuesMax: number
  hasLongNumber = false
  #values = 0
  #pos = 0
  readonly #stack: number[] = []

  constructor(bytes: Uint8Array, valuesMax: number) {
    this.#bytes = bytes
    this.#valuesMax = valuesMax
  }

  run(): JsonFault | undefined {
    let isValueNext = true
    for (;;) {
      this.#skipSpace()
      if (isValueNext) {
        const opened = this.#value()
        if (opened === undefined) return this.#fault()
        if (this.#stack.length > JSON_DEPTH_MAX) return this.#tooDeep()
        this.#values += 1
        if (this.#values > this.#valuesMax) return this.#tooMany()
        if (opened) continue
      }
      const after = this.#afterValue()
      if (after === undefined) return this.#fault()
      if (after === 'end') return undefined
      isValueNext = after === 'value'
    }
  }

  #fault(): JsonFault {
    return { position: this.#pos, what: describe(this.#bytes, this.#pos) }
  }

  #tooDeep(): JsonFault {
    return { position: this.#pos - 1, what: `nested deeper than ${JSON_DEPTH_MAX} levels` }
  }

  #tooMany(): JsonFault {
    return { position: this.#pos, what: `more than ${this.#valuesMax} values. Split the request` }
  }

  #skipSpace(): void {
    const bytes = this.#bytes
    for (;;) {
      const byte = bytes[this.#pos]
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return
      this.#pos += 1
    }
  }

  /** Takes one scalar or opens a list or object (true: a value follows); undefined at a fault. */
  #value(): boolean | undefined {
    const byte = this.#bytes[this.#pos]
    if (byte === 0x7b) return this.#openObject()
    if (byte === 0x5b) {
      this.#stack.push(ARRAY)
      this.#pos += 1
      this.#skipSpace()
      return this.#bytes[this.#pos] !== 0x5d
    }
    if (byte === 0x22) return this.#string() ? false : undefined
    if (byte === 0x74) return this.#word('true') ? false : undefined
    if (byte === 0x66) return this.#word('false') ? false : undefined
    if (byte === 0x6e) return this.#word('null') ? false : undefined
    return this.#number() ? false : undefined
  }

  #openObject(): boolean | undefined {
    this.#stack.push(OBJECT)
    this.#pos += 1
    this.#skipSpace()
    if (this.#bytes[this.#pos] === 0x7d) return false
    return this.#key() ? true : undefined
  }

  /** Takes what may follow a value: separators and closing brackets. */
  #afterValue(): 'value' | 'closed' | 'end' | undefined {
    this.#skipSpace()
    const byte = this.#bytes[this.#pos]
    const inside = this.#stack.at(-1)
    if (inside === undefined) return this.#pos >= this.#bytes.length ? 'end' : undefined
    if (byte === (inside === OBJECT ? 0x7d : 0x5d)) {
      this.#pos += 1
      this.#stack.pop()
      return 'closed'
    }
    if (byte !== 0x2c) return undefined
    this.#pos += 1
    if (inside === ARRAY) return 'value'
    this.#skipSpace()
    return this.#key() ? 'value' : undefined
  }

  #key(): boolean {
    if (this.#bytes[this.#pos] !== 0x22 || !this.#string()) return false
    this.#skipSpace()
    if (this.#bytes[this.#pos] !== 0x3a) return false
    this.#pos += 1
    return true
  }

  #word(word: string): boolean {
    for (const letter of word) {
      if (this.#bytes[this.#pos] !== letter.charCodeAt(0)) return false
      this.#pos += 1
    }
    return true
  }

  #string(): boolean {
    const bytes = this.#bytes
    this.#pos += 1
    for (;;) {
      const byte = bytes[this.#pos]
      if (byte === undefined || byte < 0x20) return false
      this.#pos += 1
      if (byte === 0x22) return true
      if (byte === 0x5c && !this.#escape()) return false
    }
  }

  #escape(): boolean {
    const letter = String.fromCharCode(this.#bytes[this.#pos] ?? 0)
    if (!'"\\/bfnrtu'.includes(letter)) return false
    this.#pos += 1
    if (letter !== 'u') return true
    for (let count = 0; count < 4; count++) {
      const hex = String.fromCharCode(this.#bytes[this.#pos] ?? 0)
      if (!/[0-9a-fA-F]/.test(hex)) return false
      this.#pos += 1
    }
    return true
  }

  #digits(): boolean {
    const start = this.#pos
    while (this.#bytes[this.#pos] >= 0x30 && this.#bytes[this.#pos] <= 0x39) this.#pos += 1
    return this.#pos > start
  }

  #number(): boolean {
    const from = this.#pos
    if (!this.#passNumber()) return false
    if (!this.hasLongNumber) this.hasLongNumber = this.#isLong(from)
    return true
  }

  #isLong(from: number): boolean {
    const bytes = this.#bytes.subarray(from, this.#pos)
    const isExact = bytes.length <= EXACT_DIGITS && !bytes.includes(0x65) && !bytes.includes(0x45)
    if (isExact) return false
    const text = Buffer.from(bytes).toString('latin1')
    return !isShownBy(text, Number(text))
  }

  #passNumber(): boolean {
    const bytes = this.#bytes
    if (bytes[this.#pos] === 0x2d) this.#pos += 1
    if (bytes[this.#pos] === 0x30) this.#pos += 1
    else if (!this.#digits()) return false
    if (bytes[this.#pos] === 0x2e) {
      this.#pos += 1
      if (!this.#digits()) return false
    }
    if (bytes[this.#pos] !== 0x65 && bytes[this.#pos] !== 0x45) return true
    this.#pos += 1
    if (bytes[this.#pos] === 0x2b || bytes[this.#pos] === 0x2d) this.#pos += 1
    return this.#digits()
  }
}
