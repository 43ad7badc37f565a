/**
 * The driver converts DECIMAL and MONEY to doubles, but they have up to 38 digits. The only way to their bytes is to
 * wrap the driver's reader of values, which one of its files exports. Code that loads the driver calls
 * `keepExactValues()` first, which fails when that file has another shape.
 */
import { invariant } from '../../../base/index.ts'
import { decimalText } from '../iso-text.ts'

interface Read {
  readonly value: unknown
  readonly offset: number
}

interface Metadata {
  readonly type: { readonly name: string }
  readonly scale?: number
}

type ReadValue = (bytes: Buffer, offset: number, metadata: Metadata, options: unknown) => Read

interface ValueParser {
  readValue: ReadValue
}

interface Readers {
  /** Thrown when bytes are missing: the driver reads again when there are more. */
  readonly NotEnoughDataError: new (
    byteCount: number,
  ) => object
}

const MONEY_SCALE = 4
let isKept = false

/** Lets the driver give DECIMAL and MONEY as exact texts, from here on in this process. */
export function keepExactValues(load: NodeJS.Require): void {
  if (isKept) return
  const parser = load('tedious/lib/value-parser') as ValueParser
  const { NotEnoughDataError } = load('tedious/lib/token/helpers') as Readers
  const { readValue } = parser
  invariant(typeof readValue === 'function', 'the SQL Server driver reads values elsewhere')
  invariant(typeof NotEnoughDataError === 'function', 'the SQL Server driver waits otherwise')
  const requireBytes = (bytes: Buffer, until: number) => {
    if (bytes.length < until) throw new NotEnoughDataError(until)
  }
  parser.readValue = (bytes, offset, metadata, options) => {
    const kind = exactKindOf(metadata.type.name)
    if (kind === undefined) return readValue(bytes, offset, metadata, options)
    if (kind === 'money' || kind === 'smallmoney') {
      const until = offset + (kind === 'money' ? 8 : 4)
      requireBytes(bytes, until)
      return { value: moneyText(bytes.subarray(offset, until)), offset: until }
    }
    requireBytes(bytes, offset + 1)
    const start = offset + 1
    const until = start + bytes[offset]
    if (start === until) return { value: null, offset: until }
    requireBytes(bytes, until)
    const cell = bytes.subarray(start, until)
    const value = kind === 'moneyN' ? moneyText(cell) : numericText(cell, metadata.scale ?? 0)
    return { value, offset: until }
  }
  isKept = true
}

function exactKindOf(name: string): 'numeric' | 'money' | 'smallmoney' | 'moneyN' | undefined {
  if (name === 'NumericN' || name === 'DecimalN') return 'numeric'
  if (name === 'Money') return 'money'
  if (name === 'SmallMoney') return 'smallmoney'
  return name === 'MoneyN' ? 'moneyN' : undefined
}

/** A byte for the sign, then the digits as a whole number, its low byte first. */
function numericText(cell: Buffer, scale: number): string {
  let units = 0n
  for (let at = cell.length - 1; at > 0; at -= 1) units = (units << 8n) | BigInt(cell[at])
  return decimalText(cell[0] === 1 ? units : -units, scale)
}

/** Four bytes, or eight with the high half first. */
function moneyText(cell: Buffer): string {
  if (cell.length === 4) return decimalText(BigInt(cell.readInt32LE(0)), MONEY_SCALE)
  const units = (BigInt(cell.readInt32LE(0)) << 32n) | BigInt(cell.readUInt32LE(4))
  return decimalText(units, MONEY_SCALE)
}
