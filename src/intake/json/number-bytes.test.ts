import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roundsOf, testSeeds } from '../../../test/support/random.ts'
import { readAnyNumber, readNumber } from './number-bytes.ts'

const [seed] = testSeeds(1)
const column = new Float64Array(1)

/** Whole numbers below 2^32, the same ones for a seed. */
function makeRandom(start: number): () => number {
  let state = start >>> 0
  return () => {
    state = (state + 0x9e3779b9) >>> 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b)
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
    return (mixed ^ (mixed >>> 16)) >>> 0
  }
}

/** Reads a number that something follows; undefined for what is left to others. */
function read(text: string, reader = readNumber): number | undefined {
  const end = reader(Buffer.from(`x${text}}`, 'latin1'), 1, column, 0)
  if (end < 0) return undefined
  assert.equal(end, text.length + 1, `seed ${seed}: all of ${text}`)
  return column[0]
}

function checkSame(text: string): void {
  const expected = JSON.parse(text) as number
  for (const reader of [readNumber, readAnyNumber]) {
    const value = read(text, reader)
    assert.ok(Object.is(value, expected), `seed ${seed}: ${text} was read as ${value}`)
  }
}

test('readNumber() and readAnyNumber() read what JSON.parse reads', () => {
  for (const sign of ['', '-']) {
    const check = (text: string) => checkSame(sign + text)
    check('0')
    check('0.0')
    check('0.00000000000000000000000000')
    check('0e99999')
    check('7')
    check('21.37')
    check('0.1')
    check('123456789')
    check('1234567890')
    check('999999999.999999999')
    check('42.123456789012345')
    check('9007199254740991')
    check('9007199254740992')
    // Halfway between two doubles: the even one.
    check('9007199254740993')
    check('9007199254740995')
    check('900719925474099.35')
    check('0.9007199254740993')
    check('99.999999999999999')
    check('999999999999999999')
    check('1000000000000000000')
    check('0.000000000000000000000012345678901234567')
    check('1e22')
    check('1e23')
    check('1.0e+23')
    check('8.5e-22')
    check('8.5e-23')
    check('12345678901234567e22')
    check('12345678901234567e23')
    check('12345678901234567E-22')
    check('12345678901234567E-23')
    check('123456789012345678901234567890')
    check('1.7976931348623157e308')
    check('2.2250738585072014e-308')
    // The least of all, where the text says no more than the double shows.
    check('5e-324')
  }
})

test('readNumber() leaves to the reference reader what is no number, or loses its digits', () => {
  const refused = [
    '',
    '-',
    '.5',
    '5.',
    '01',
    '-01',
    '1e',
    '1e+',
    '+1',
    'e5',
    '-.1',
    '00.1234567890123',
  ]
  for (const text of refused) assert.equal(read(text), undefined, text)
  assert.equal(read('1e400'), undefined)
  assert.equal(read('1.23456789012345678e-320'), undefined)
})

test('readAnyNumber() reads a number at the very end of a body', () => {
  for (const text of ['1', '21.3', '42.123456789012345', '1e5']) {
    assert.equal(readAnyNumber(Buffer.from(text), 0, column, 0), text.length)
    assert.equal(column[0], Number(text))
  }
})

test('readNumber() reads every way of writing a double as Number() does', () => {
  const random = makeRandom(seed)
  const words = new Uint32Array(2)
  const doubles = new Float64Array(words.buffer)
  for (let round = 0; round < roundsOf(200_000); round++) {
    words[0] = random()
    words[1] = random()
    // Most have a size that devices send, some any size at all.
    if (round % 8 !== 0)
      words[1] = (words[1] & 0x800fffff) | ((1_023 - 40 + (random() % 110)) << 20)
    const value = doubles[0]
    if (!Number.isFinite(value) || Math.abs(value) < 2 ** -1022) continue
    checkSame(String(value))
    checkSame(value.toPrecision(17))
    checkSame(value.toPrecision(18))
    checkSame(value.toExponential(16))
  }
})

test('readNumber() reads digits at random as Number() does', () => {
  const random = makeRandom(seed + 1)
  for (let round = 0; round < roundsOf(1_000_000); round++) {
    const count = 1 + (random() % 20)
    let digits = ''
    while (digits.length < count) digits += String(random())
    digits = digits.slice(0, count)
    const point = random() % (count + 1)
    const whole = digits.slice(0, point).replace(/^0+/, '') || '0'
    const fraction = digits.slice(point)
    const exponent = round % 4 === 0 ? `e${(random() % 60) - 30}` : ''
    const text = `${whole}${fraction === '' ? '' : '.'}${fraction}${exponent}`
    assert.ok(Object.is(read(text), Number(text)), `seed ${seed}: ${text}`)
  }
})

test('readNumber() rounds what lies halfway between two doubles, and beside it, as Number() does', () => {
  const random = makeRandom(seed + 2)
  for (let round = 0; round < roundsOf(200_000); round++) {
    // An odd number of 54 bits lies in the middle of two doubles; so it does divided by a power of 2.
    const half = (BigInt(random()) << 22n) | BigInt(random() >>> 10) | (1n << 53n) | 1n
    const decimals = random() % 3
    const scaled = (half & ((1n << 54n) - 1n)) * 5n ** BigInt(decimals)
    for (const beside of [-1n, 0n, 1n]) {
      const digits = String(scaled + beside)
      const point = digits.length - decimals
      const text = decimals === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`
      assert.ok(Object.is(read(text), Number(text)), `seed ${seed}: ${text}`)
    }
  }
})
