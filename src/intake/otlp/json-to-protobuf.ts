/** Rewrites metrics of OpenTelemetry from JSON as protobuf, so that one reader reads both. */
import { isUtf8 } from 'node:buffer'
import { refuse } from '../../base/index.ts'
import { WIRE_BYTES, WIRE_FIXED64, WIRE_VARINT } from '../prometheus/proto-cursor.ts'
import { type Member, type Message, REQUEST_MESSAGE, TEMPORALITIES } from './json-messages.ts'

/** Objects and lists in each other. Those of a metric are 12 deep; attributes may go deeper. */
const DEPTH_MAX = 100
/** The longest text of a body. Longer ones are refused before they are read to their end. */
const STRING_BYTES_MAX = 1 << 20
/** Texts that are copied. Longer ones are replaced, as no label can hold them. */
const COPIED_BYTES_MAX = 64 * 1024
const TOO_LONG_BYTES = 20_000
const NUMBER_LENGTH_MAX = 400
/** The name of a member that is known. */
const NAME_LENGTH_MAX = 32
/** A length that is written before it is known: a varint of five bytes. */
const LENGTH_BYTES = 5
/** The most bytes that one byte of JSON becomes: a zero in a list of doubles. */
const GROWTH_MAX = 4
/** An invalid byte, in place of a text that is not valid Unicode. The reader rejects the point. */
const INVALID = 0xff

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
const LIST_BEGIN = 0x5b
const LIST_END = 0x5d
const OBJECT_BEGIN = 0x7b
const OBJECT_END = 0x7d

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const DIGITS = /^-?\d+$/
const NOT_FINITE: Readonly<Record<string, bigint>> = {
  NaN: 0x7ff8000000000001n,
  Infinity: 0x7ff0000000000000n,
  '-Infinity': 0xfff0000000000000n,
}

/** What may come next. */
type Expected =
  | 'value'
  | 'element or end'
  | 'name or end'
  | 'name'
  | 'colon'
  | 'comma or end'
  | 'nothing'

/** An object or list that is not closed yet. */
interface Open {
  readonly isList: boolean
  /** The members of an object; undefined for an object or list that is skipped. */
  readonly message: Message | undefined
  /** What the elements of a list are. */
  readonly element: Member | undefined
  /** Where the length of its bytes is written; -1 if it has none. */
  readonly lengthAt: number
}

const NONE = -1
const ROOT: Member = { field: 0, kind: 'message', isList: false, message: REQUEST_MESSAGE }

/** The most bytes of protobuf that some bytes of JSON become. */
export function roomFor(jsonBytes: number): number {
  return GROWTH_MAX * jsonBytes + COPIED_BYTES_MAX + 2 * LENGTH_BYTES
}

/** Reads JSON piece by piece, and writes into memory that its owner provides. */
export class JsonToProtobuf {
  readonly #bytes: Buffer
  #at = 0
  #expected: Expected = 'value'
  readonly #open: Open[] = []
  /** What the next value is; undefined for one that is skipped. */
  #member: Member | undefined = ROOT
  /** The next backslash at or behind the last place that was asked for. */
  #backslash = NONE
  /** Where protobuf is written, and how much of it is. */
  out: Buffer
  length = 0

  constructor(bytes: Buffer, out: Buffer) {
    this.#bytes = bytes
    this.out = out
  }

  /** Bytes that are not read yet. */
  get bytesLeft(): number {
    return this.#bytes.length - this.#at
  }

  /** Reads about `bytesMax` bytes; `out` must have the room that roomFor() says. */
  read(bytesMax: number): void {
    const bytes = this.#bytes
    const until = Math.min(bytes.length, this.#at + bytesMax)
    while (this.#at < until) {
      const byte = bytes[this.#at]
      if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) this.#at += 1
      else this.#readToken(byte)
    }
    if (this.bytesLeft <= 0 && this.#expected !== 'nothing') this.#refuse('the text ends')
  }

  #readToken(byte: number): void {
    switch (this.#expected) {
      case 'element or end':
        if (byte === LIST_END) this.#close()
        else this.#readValue(byte)
        return
      case 'value':
        this.#readValue(byte)
        return
      case 'name or end':
        if (byte === OBJECT_END) this.#close()
        else this.#readName(byte)
        return
      case 'name':
        this.#readName(byte)
        return
      case 'colon':
        if (byte !== COLON) this.#refuse('a colon is missing')
        this.#at += 1
        this.#expected = 'value'
        return
      case 'comma or end':
        this.#readComma(byte)
        return
      case 'nothing':
        this.#refuse('something follows the end')
    }
  }

  #readComma(byte: number): void {
    const open = this.#open[this.#open.length - 1]
    if (byte === (open.isList ? LIST_END : OBJECT_END)) {
      this.#close()
      return
    }
    if (byte !== COMMA) this.#refuse('a comma is missing')
    this.#at += 1
    this.#expected = open.isList ? 'value' : 'name'
    this.#member = open.element
  }

  #readName(byte: number): void {
    if (byte !== QUOTE) this.#refuse('the name of a member is missing')
    const from = this.#at + 1
    const end = this.#endOfString(from)
    const { message } = this.#open[this.#open.length - 1]
    const isShort = end - from <= NAME_LENGTH_MAX
    this.#member =
      message === undefined || !isShort
        ? undefined
        : message.get(this.#bytes.toString('latin1', from, end))
    this.#at = end + 1
    this.#expected = 'colon'
  }

  #readValue(byte: number): void {
    const member = this.#member
    if (byte === OBJECT_BEGIN) this.#beginObject(member)
    else if (byte === LIST_BEGIN) this.#beginList(member)
    else if (byte === QUOTE) this.#readString(member)
    else this.#readLiteral(member)
  }

  #isElement(): boolean {
    return this.#open.at(-1)?.isList === true
  }

  #beginObject(member: Member | undefined): void {
    if (member === undefined) {
      this.#push({ isList: false, message: undefined, element: undefined, lengthAt: NONE })
    } else {
      if (member.kind !== 'message' || member.isList !== this.#isElement()) this.#refuseKind(member)
      const lengthAt = member === ROOT ? NONE : this.#writeTagOfLength(member.field)
      this.#push({ isList: false, message: member.message, element: undefined, lengthAt })
    }
    this.#expected = 'name or end'
  }

  #beginList(member: Member | undefined): void {
    if (member === undefined) {
      this.#push({ isList: true, message: undefined, element: undefined, lengthAt: NONE })
    } else {
      if (!member.isList || this.#isElement()) this.#refuseKind(member)
      const isPacked = member.kind !== 'message'
      const lengthAt = isPacked ? this.#writeTagOfLength(member.field) : NONE
      this.#push({ isList: true, message: undefined, element: member, lengthAt })
    }
    this.#member = member
    this.#expected = 'element or end'
  }

  #push(open: Open): void {
    if (this.#open.length === DEPTH_MAX) {
      this.#refuse(`objects and lists are nested deeper than ${DEPTH_MAX}`)
    }
    this.#open.push(open)
    this.#at += 1
  }

  #close(): void {
    const open = this.#open.pop()
    if (open !== undefined && open.lengthAt !== NONE) {
      this.#writeLength(open.lengthAt, this.length - open.lengthAt - LENGTH_BYTES)
    }
    this.#at += 1
    this.#endValue()
  }

  #endValue(): void {
    this.#expected = this.#open.length === 0 ? 'nothing' : 'comma or end'
  }

  #readString(member: Member | undefined): void {
    const from = this.#at + 1
    const end = this.#endOfString(from)
    if (member !== undefined) {
      if (member.isList !== this.#isElement()) this.#refuseKind(member)
      if (member.kind === 'string') this.#writeString(member.field, from, end)
      else if (member.kind === 'base64') this.#writeBase64(member.field, from, end)
      else this.#writeScalar(member, this.#shortText(from, end), true)
    }
    this.#at = end + 1
    this.#endValue()
  }

  /** A number, true, false, or null. */
  #readLiteral(member: Member | undefined): void {
    const bytes = this.#bytes
    const from = this.#at
    let end = from
    while (end < bytes.length && end - from <= NUMBER_LENGTH_MAX && !endsLiteral(bytes[end])) end++
    const text = this.#shortText(from, end)
    const isWord = text === 'true' || text === 'false' || text === 'null'
    if (!isWord && !NUMBER.test(text)) this.#refuse('a value is not valid')
    // Null means that the member is absent.
    if (member !== undefined && !(text === 'null' && !this.#isElement())) {
      if (member.isList !== this.#isElement()) this.#refuseKind(member)
      this.#writeScalar(member, text, false)
    }
    this.#at = end
    this.#endValue()
  }

  #shortText(from: number, end: number): string {
    if (end - from > NUMBER_LENGTH_MAX) this.#refuse('a number is too long')
    return this.#bytes.toString('latin1', from, end)
  }

  /** The quote at the end of a text. */
  #endOfString(from: number): number {
    const bytes = this.#bytes
    if (this.#backslash < from) {
      const found = bytes.indexOf(BACKSLASH, from)
      this.#backslash = found < 0 ? bytes.length : found
    }
    let end = bytes.indexOf(QUOTE, from)
    if (end > this.#backslash) {
      const last = Math.min(bytes.length, from + STRING_BYTES_MAX + 1)
      for (end = this.#backslash; end < last && bytes[end] !== QUOTE; end++) {
        if (bytes[end] === BACKSLASH) end += 1
      }
    }
    if (end < 0 || end >= bytes.length) this.#refuse('a text has no end')
    if (end - from > STRING_BYTES_MAX)
      this.#refuse(`a text has more than ${STRING_BYTES_MAX} bytes`)
    return end
  }

  #writeString(field: number, from: number, end: number): void {
    const { out } = this
    const lengthAt = this.#writeTagOfLength(field)
    if (end - from > COPIED_BYTES_MAX) {
      out.fill('x', this.length, this.length + TOO_LONG_BYTES)
      this.length += TOO_LONG_BYTES
    } else if (this.#backslash < end) {
      this.length += this.#writeUnescaped(from, end)
    } else {
      this.length += this.#bytes.copy(out, this.length, from, end)
    }
    this.#writeLength(lengthAt, this.length - lengthAt - LENGTH_BYTES)
  }

  #writeUnescaped(from: number, end: number): number {
    const raw = this.#bytes.subarray(from - 1, end + 1)
    let text: string
    try {
      text = JSON.parse(raw.toString('utf8'))
    } catch {
      this.#refuse('a text is not valid')
    }
    if (isUtf8(raw) && text.isWellFormed()) return this.out.write(text, this.length)
    this.out[this.length] = INVALID
    return 1
  }

  #writeBase64(field: number, from: number, end: number): void {
    const until = Math.min(end, from + COPIED_BYTES_MAX)
    const lengthAt = this.#writeTagOfLength(field)
    this.length += this.out.write(
      this.#bytes.toString('latin1', from, until),
      this.length,
      'base64',
    )
    this.#writeLength(lengthAt, this.length - lengthAt - LENGTH_BYTES)
  }

  /** Writes a number or boolean, with its tag unless it is part of a list. */
  #writeScalar(member: Member, text: string, isQuoted: boolean): void {
    const { field, kind, isList } = member
    switch (kind) {
      case 'double':
        if (!isList) this.#writeByte((field << 3) | WIRE_FIXED64)
        this.#writeDouble(text, isQuoted)
        return
      case 'fixed64':
      case 'sfixed64':
        if (!isList) this.#writeByte((field << 3) | WIRE_FIXED64)
        this.#writeFixed64(this.#integerOf(text, kind === 'sfixed64' ? SIGNED_64 : UNSIGNED_64))
        return
      case 'int64':
        this.#writeByte((field << 3) | WIRE_VARINT)
        this.#writeVarint(BigInt.asUintN(64, this.#integerOf(text, SIGNED_64)))
        return
      case 'uint32':
        this.#writeByte((field << 3) | WIRE_VARINT)
        this.#writeVarint(this.#integerOf(text, UNSIGNED_32))
        return
      case 'boolean':
        if (isQuoted || (text !== 'true' && text !== 'false')) this.#refuseKind(member)
        this.#writeByte((field << 3) | WIRE_VARINT)
        this.#writeByte(text === 'true' ? 1 : 0)
        return
      case 'temporality': {
        const named = isQuoted ? TEMPORALITIES.indexOf(text) : NONE
        this.#writeByte((field << 3) | WIRE_VARINT)
        this.#writeVarint(named === NONE ? this.#integerOf(text, UNSIGNED_32) : BigInt(named))
        return
      }
      default:
        this.#refuseKind(member)
    }
  }

  #writeDouble(text: string, isQuoted: boolean): void {
    if (isQuoted && Object.hasOwn(NOT_FINITE, text)) {
      this.#writeFixed64(NOT_FINITE[text])
      return
    }
    const value = NUMBER.test(text) ? Number(text) : Number.NaN
    if (!Number.isFinite(value)) this.#refuse('a number is not a double')
    this.length = this.out.writeDoubleLE(value, this.length)
  }

  #integerOf(text: string, { min, max }: Bounds): bigint {
    const number = DIGITS.test(text) ? 0 : NUMBER.test(text) ? Number(text) : Number.NaN
    if (!Number.isSafeInteger(number)) this.#refuse('a number is not an integer')
    const value = DIGITS.test(text) ? BigInt(text) : BigInt(number)
    if (value < min || value > max) this.#refuse('an integer is out of range')
    return value
  }

  #writeFixed64(value: bigint): void {
    this.length = this.out.writeBigUInt64LE(BigInt.asUintN(64, value), this.length)
  }

  #writeVarint(value: bigint): void {
    let rest = value
    for (; rest >= 0x80n; rest >>= 7n) this.#writeByte(Number(rest & 0x7fn) | 0x80)
    this.#writeByte(Number(rest))
  }

  #writeByte(byte: number): void {
    this.out[this.length] = byte
    this.length += 1
  }

  /** Writes the tag of a field and leaves room for its length. Returns where that is. */
  #writeTagOfLength(field: number): number {
    this.#writeByte((field << 3) | WIRE_BYTES)
    const lengthAt = this.length
    this.length += LENGTH_BYTES
    return lengthAt
  }

  #writeLength(at: number, length: number): void {
    let rest = length
    for (let place = 0; place < LENGTH_BYTES - 1; place++, rest >>>= 7) {
      this.out[at + place] = (rest & 0x7f) | 0x80
    }
    this.out[at + LENGTH_BYTES - 1] = rest
  }

  #refuseKind({ kind, isList }: Member): never {
    this.#refuse(`a value is not ${isList ? 'a list' : NAMES_OF_KINDS[kind]}`)
  }

  #refuse(what: string): never {
    refuse('bad_input', { what: `The body is not valid OTLP JSON: ${what} at byte ${this.#at}` })
  }
}

interface Bounds {
  readonly min: bigint
  readonly max: bigint
}

const UNSIGNED_64: Bounds = { min: 0n, max: (1n << 64n) - 1n }
const SIGNED_64: Bounds = { min: -(1n << 63n), max: (1n << 63n) - 1n }
const UNSIGNED_32: Bounds = { min: 0n, max: (1n << 32n) - 1n }

const NAMES_OF_KINDS: Readonly<Record<Member['kind'], string>> = {
  string: 'a text',
  base64: 'a text',
  double: 'a number',
  fixed64: 'an integer',
  sfixed64: 'an integer',
  int64: 'an integer',
  uint32: 'an integer',
  boolean: 'true or false',
  temporality: 'a temporality',
  message: 'an object',
}

function endsLiteral(byte: number): boolean {
  return byte <= 0x20 || byte === COMMA || byte === LIST_END || byte === OBJECT_END
}
