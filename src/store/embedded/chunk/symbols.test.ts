import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ByteReader } from './byte-reader.ts'
import { ByteWriter } from './byte-writer.ts'
import { hasRepeats, readSymbols, writeSymbols } from './symbols.ts'

const RAW = 0
const ZSTD = 3
const ENTROPY = 4

function noise(seed: number, symbols: number): Uint8Array {
  let state = seed
  return Uint8Array.from({ length: 4_095 }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state >>> 16) % symbols
  })
}

function pack(symbols: Uint8Array): { form: number; bytes: number } {
  const writer = new ByteWriter()
  writeSymbols(writer, symbols)
  const bytes = writer.finish()
  const read = readSymbols(new ByteReader(bytes), symbols.length)
  assert.deepEqual(Array.from(read), Array.from(symbols))
  return { form: bytes[0], bytes: bytes.length }
}

test('hasRepeats() distinguishes patterns from noise', () => {
  const f = (symbols: Uint8Array, want: boolean) => assert.equal(hasRepeats(symbols), want)
  f(noise(1, 7), false)
  f(noise(1, 200), false)
  f(noise(1, 2), true)
  f(new Uint8Array(0), false)
  f(
    noise(1, 7).map((symbol, index, all) => (index < 2_000 ? symbol : all[index - 2_000])),
    true,
  )
})

test('writeSymbols() leaves noise of all bytes as it is', () => {
  const f = (symbols: Uint8Array, form: number) => assert.equal(pack(symbols).form, form)
  f(noise(5, 256), RAW)
  f(noise(5, 256).subarray(0, 700), RAW)
  // As many of each, but in an order that comes again.
  f(
    Uint8Array.from({ length: 4_095 }, (_, index) => index),
    ZSTD,
  )
  f(noise(5, 200), ENTROPY)
})

test('writeSymbols() still finds what repeats after a long while', () => {
  const day = noise(3, 40)
  const f = (symbols: Uint8Array, form: number, bytesMax: number) => {
    const packed = pack(symbols)
    assert.equal(packed.form, form)
    assert.ok(packed.bytes < bytesMax, `${packed.bytes} bytes`)
  }
  f(day, ENTROPY, 2_850)
  f(
    day.map((_, index) => day[index % 1_440]),
    ZSTD,
    1_300,
  )
  f(
    day.map((symbol, index) => (index % 40 === 0 ? symbol : day[index % 97])),
    ZSTD,
    1_500,
  )
})
