/** JSON by RFC 8259, read from its text in one pass; numbers stay as they are written. */
import { JsonMistake } from './json-mistake.ts'

/** Deeper documents are made by nobody; each level takes some hundred bytes of the stack. */
const NESTING_MAX = 500

/** A value as it is written: a text without its escapes, all else as its characters. */
export interface JsonRaw {
  readonly is: 'text' | 'number' | 'true' | 'false' | 'null' | 'whole'
  readonly text: string
}

/** What is done with the members of an object, or the elements of an array. */
interface JsonVisitor {
  /** Reads the value of a member; false leaves it to be skipped. */
  member?(name: string): boolean
  /** Reads an element by its index; false leaves it to be skipped. */
  element?(index: number): boolean
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const BLANKS = /[ \t\r\n]+/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what JSON forbids in texts
const CONTROL = /[\0-\x1f]/

/** Walks over the text of one document; throws JsonMistake where it is none. */
export class JsonText {
  readonly #text: string
  #at = 0
  #nesting = 0

  constructor(text: string) {
    this.#text = text
    this.#skipBlanks()
  }

  /** Ends the document: nothing but blanks may follow. */
  end(): void {
    if (this.#at < this.#text.length) this.#fail('text after the end')
  }

  /** Whether an array begins here. */
  isArray(): boolean {
    return this.#text[this.#at] === '['
  }

  /** Whether an object begins here. */
  isObject(): boolean {
    return this.#text[this.#at] === '{'
  }

  /** Where the value here begins. */
  position(): number {
    return this.#at
  }

  /** The characters from a position to the end of the value that was read last. */
  since(start: number): string {
    return this.#text.slice(start, this.#at).trimEnd()
  }

  /** Reads over an object or array; the visitor is asked for what is inside. */
  walk(visitor: JsonVisitor): void {
    this.#nesting += 1
    if (this.#nesting > NESTING_MAX) this.#fail(`it is nested deeper than ${NESTING_MAX} levels`)
    if (this.isObject()) this.#walkObject(visitor)
    else this.#walkArray(visitor)
    this.#nesting -= 1
  }

  /** Reads over a value of any kind. */
  skip(): void {
    if (this.isObject() || this.isArray()) this.walk({})
    else this.scalar()
  }

  /** Reads a value that is no object and no array. */
  scalar(): JsonRaw {
    const start = this.#at
    const char = this.#text[start]
    if (char === '"') return { is: 'text', text: this.#string() }
    for (const word of ['true', 'false', 'null'] as const) {
      if (!this.#text.startsWith(word, start)) continue
      this.#move(word.length)
      return { is: word, text: word }
    }
    NUMBER.lastIndex = start
    const [number] = NUMBER.exec(this.#text) ?? []
    if (number === undefined) return this.#fail('expected a value')
    this.#move(number.length)
    return { is: 'number', text: number }
  }

  #walkObject(visitor: JsonVisitor): void {
    this.#move(1)
    for (let count = 0; ; count++) {
      if (this.#text[this.#at] === '}') break
      if (count > 0) this.#expect(',')
      if (this.#text[this.#at] !== '"') this.#fail('expected a name in double quotes')
      const name = this.#string()
      this.#expect(':')
      if (visitor.member?.(name) !== true) this.skip()
      if (this.#text[this.#at] !== ',' && this.#text[this.#at] !== '}') {
        this.#fail('expected "," or "}"')
      }
    }
    this.#move(1)
  }

  #walkArray(visitor: JsonVisitor): void {
    this.#move(1)
    for (let index = 0; ; index++) {
      if (this.#text[this.#at] === ']') break
      if (index > 0) this.#expect(',')
      if (visitor.element?.(index) !== true) this.skip()
      if (this.#text[this.#at] !== ',' && this.#text[this.#at] !== ']') {
        this.#fail('expected "," or "]"')
      }
    }
    this.#move(1)
  }

  #string(): string {
    const start = this.#at
    let end = this.#text.indexOf('"', start + 1)
    let escaped = false
    while (end >= 0 && isEscaped(this.#text, end, start)) {
      escaped = true
      end = this.#text.indexOf('"', end + 1)
    }
    if (end < 0) this.#fail('a text is not closed')
    const inside = this.#text.slice(start + 1, end)
    if (CONTROL.test(inside)) this.#fail('a text holds a line end or another control character')
    const value = escaped || inside.includes('\\') ? this.#unescape(start, end) : inside
    this.#move(end + 1 - start)
    return value
  }

  #unescape(start: number, end: number): string {
    try {
      return JSON.parse(this.#text.slice(start, end + 1))
    } catch {
      return this.#fail('a text holds a backslash that escapes nothing')
    }
  }

  #expect(sign: string): void {
    if (this.#text[this.#at] !== sign) this.#fail(`expected "${sign}"`)
    this.#move(1)
    if (sign === ',' && /[\]}]/.test(this.#text[this.#at] ?? '')) this.#fail('expected a value')
  }

  #move(count: number): void {
    this.#at += count
    this.#skipBlanks()
  }

  #skipBlanks(): void {
    const code = this.#text.charCodeAt(this.#at)
    if (code > 0x20) return
    BLANKS.lastIndex = this.#at
    if (BLANKS.test(this.#text)) this.#at = BLANKS.lastIndex
  }

  #fail(problem: string): never {
    const before = this.#text.slice(0, this.#at)
    const line = before.split('\n').length
    const column = this.#at - before.lastIndexOf('\n')
    const place = `at its line ${line}, column ${column}`
    throw new JsonMistake(`The text is no JSON: ${problem} ${place}`, this.#at)
  }
}

/** Whether backslashes before a quote make it a part of the text. */
function isEscaped(text: string, quote: number, start: number): boolean {
  let at = quote - 1
  while (at > start && text[at] === '\\') at -= 1
  return (quote - 1 - at) % 2 === 1
}
