import { BitReader, BitWriter, bitLength } from './bits.ts'
import { DamagedBytes } from './damaged-bytes.ts'

/**
 * Tabled asymmetric numeral systems over bytes: symbols cost what their frequency says, to a
 * fraction of a bit, where Huffman codes cost at least one bit each. A slow sensor's differences,
 * mostly 0, take half of what zstd needs, and the table decodes in a few nanoseconds a symbol.
 */
const TABLE_BITS = 10
const TABLE_SIZE = 1 << TABLE_BITS

/** Any odd step visits every place of the table once; this one scatters equal symbols well. */
const SPREAD_STEP = (TABLE_SIZE >> 1) + (TABLE_SIZE >> 3) + 3

/** What packing and unpacking need only until they are done; every part is filled before it is read. */
const scratch = {
  steps: new Uint16Array(4_096),
  writer: new BitWriter(8_192),
  shares: new Uint16Array(256),
  spread: new Uint8Array(TABLE_SIZE),
  next: new Uint16Array(256),
  table: new Uint32Array(TABLE_SIZE),
}

/** How each symbol moves a state, in the form that needs no comparison. */
const encoder = {
  /** State plus this, without its low 16 bits, is the number of bits to write. */
  bits: new Int32Array(256),
  /** Plus the state without these bits, it is the place of the next state. */
  places: new Int32Array(256),
  states: new Uint16Array(TABLE_SIZE),
}

/**
 * Packs symbols by their frequencies; histogram counts each of them, at least two differ. The bytes
 * are valid until the next call.
 */
export function encodeEntropy(symbols: Uint8Array, histogram: Uint32Array): Uint8Array {
  const count = symbols.length
  const shares = sharesOf(histogram, count)
  fillEncoder(shares)
  if (count > scratch.steps.length) scratch.steps = new Uint16Array(count)
  const { steps, writer } = scratch
  const { bits: bitsOf, places: placeOf, states } = encoder
  // Even and odd places have a state each, which take turns.
  let state = TABLE_SIZE
  let other = TABLE_SIZE
  // Backwards, so that the reader, who undoes step after step, goes forwards.
  for (let at = count - 1; at >= 0; at--) {
    const symbol = symbols[at]
    const bits = (state + bitsOf[symbol]) >> 16
    steps[at] = (bits << 12) | (state & ((1 << bits) - 1))
    const next = states[placeOf[symbol] + (state >> bits)]
    state = other
    other = next
  }
  writer.clear()
  writeShares(writer, shares)
  writer.write(other - TABLE_SIZE, TABLE_BITS)
  writer.write(state - TABLE_SIZE, TABLE_BITS)
  writer.writeSteps(steps, count)
  return writer.finish()
}

/**
 * Unpacks `count` symbols that encodeEntropy packed. Even and odd places have separate states, so that the processor
 * can look up one while it waits for the other.
 */
export function decodeEntropy(bytes: Uint8Array, count: number): Uint8Array {
  const reader = new BitReader(bytes)
  const table = decodingTable(readShares(reader))
  let even = reader.read(TABLE_BITS)
  let odd = reader.read(TABLE_BITS)
  const symbols = new Uint8Array(count)
  let { at, waiting, waitingBits } = reader.place()
  const end = bytes.length
  for (let index = 0; index < count; index++) {
    // Both steps together take at most 20 bits, and up to 25 fit beside a byte.
    while (waitingBits < 2 * TABLE_BITS) {
      waiting |= (at < end ? bytes[at] : 0) << waitingBits
      at++
      waitingBits += 8
    }
    const entry = table[even]
    const bits = (entry >>> 8) & 0xff
    symbols[index] = entry
    even = (entry >>> 16) + (waiting & ((1 << bits) - 1))
    waiting >>>= bits
    waitingBits -= bits
    if (++index === count) break
    const oddEntry = table[odd]
    const oddBits = (oddEntry >>> 8) & 0xff
    symbols[index] = oddEntry
    odd = (oddEntry >>> 16) + (waiting & ((1 << oddBits) - 1))
    waiting >>>= oddBits
    waitingBits -= oddBits
  }
  const unusedBytes = waitingBits >> 3
  if (at - unusedBytes > end || even !== 0 || odd !== 0) {
    throw new DamagedBytes('symbols end too early')
  }
  return symbols
}

/** How many of the table's places each symbol gets: at least one if it occurs at all. */
function sharesOf(histogram: Uint32Array, count: number): Uint16Array {
  const { shares } = scratch
  let left = TABLE_SIZE
  for (let symbol = 0; symbol < 256; symbol++) {
    shares[symbol] = 0
    if (histogram[symbol] === 0) continue
    shares[symbol] = Math.max(1, Math.round((histogram[symbol] * TABLE_SIZE) / count))
    left -= shares[symbol]
  }
  // Rounding the rare ones up is paid by the most frequent ones, place by place.
  while (left !== 0) {
    let most = 0
    for (let symbol = 1; symbol < 256; symbol++) if (shares[symbol] > shares[most]) most = symbol
    const change = left > 0 ? left : Math.max(left, -(shares[most] >> 3) || -1)
    shares[most] += change
    left -= change
  }
  return shares
}

/** Which symbol each place of the table has; valid until the next call. */
function spread(shares: Uint16Array): Uint8Array {
  const symbols = scratch.spread
  let place = 0
  for (let symbol = 0; symbol < 256; symbol++) {
    for (let index = 0; index < shares[symbol]; index++) {
      symbols[place] = symbol
      place = (place + SPREAD_STEP) & (TABLE_SIZE - 1)
    }
  }
  return symbols
}

function fillEncoder(shares: Uint16Array): void {
  const { next } = scratch
  let start = 0
  for (let symbol = 0; symbol < 256; symbol++) {
    const share = shares[symbol]
    next[symbol] = start
    encoder.places[symbol] = start - share
    start += share
    // States from share << bits on emit `bits` bits, states below it one bit less.
    const bits = TABLE_BITS - bitLength(share) + 1
    encoder.bits[symbol] = (bits << 16) - (share << bits)
  }
  const symbols = spread(shares)
  for (let place = 0; place < TABLE_SIZE; place++) {
    encoder.states[next[symbols[place]]++] = TABLE_SIZE + place
  }
}

/** Per state: the symbol, how many bits lead to the next state, and where these start. Valid until the next call. */
function decodingTable(shares: Uint16Array): Uint32Array {
  const { table, next } = scratch
  const symbols = spread(shares)
  next.set(shares)
  for (let place = 0; place < TABLE_SIZE; place++) {
    const symbol = symbols[place]
    const occurrence = next[symbol]++
    const bits = TABLE_BITS - (31 - Math.clz32(occurrence))
    table[place] = (((occurrence << bits) - TABLE_SIZE) << 16) | (bits << 8) | symbol
  }
  return table
}

/** Runs of absent symbols and the shares of present ones, short codes for small numbers. */
function writeShares(writer: BitWriter, shares: Uint16Array): void {
  let left = TABLE_SIZE
  let absent = 1
  for (let symbol = 0; left > 0; symbol++) {
    if (shares[symbol] === 0) absent++
    else {
      writeGamma(writer, absent)
      writeGamma(writer, shares[symbol])
      left -= shares[symbol]
      absent = 1
    }
  }
}

function readShares(reader: BitReader): Uint16Array {
  const shares = scratch.shares.fill(0)
  let symbol = -1
  for (let left = TABLE_SIZE; left > 0; left -= shares[symbol]) {
    symbol += readGamma(reader)
    if (symbol > 255) throw new DamagedBytes('a table of symbols is too long')
    shares[symbol] = readGamma(reader)
    if (shares[symbol] > left) throw new DamagedBytes('a table of symbols does not add up')
  }
  return shares
}

/** Elias' gamma code: the length in zeros and a one, then the bits below the highest. */
function writeGamma(writer: BitWriter, value: number): void {
  const below = bitLength(value) - 1
  writer.write(1 << below, below + 1)
  writer.write(value - (1 << below), below)
}

function readGamma(reader: BitReader): number {
  let below = 0
  while (reader.read(1) === 0) {
    if (++below > TABLE_BITS) throw new DamagedBytes('a table of symbols is broken')
  }
  return (1 << below) + reader.read(below)
}
