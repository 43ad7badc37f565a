import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyCharacter, fc } from '../../../../test/support/fast-check.ts'
import { testSeeds } from '../../../../test/support/random.ts'
import { readRecords, sizeRecord, viewMemory, writeRecord } from './record.ts'
import { packTexts, TextPacker } from './text-packer.ts'

const [seed] = testSeeds(1)

type Texts = ReadonlyArray<string | undefined>

function batchOf(texts: Texts) {
  const count = texts.length
  return {
    count,
    texts,
    removals: [],
    handles: new Uint32Array(count).fill(1),
    times: Float64Array.from(texts.keys()),
    numbers: new Float64Array(count).fill(0.5),
  }
}

/** The texts of a batch as they come back out of a record. */
function roundTrip(texts: Texts): Texts {
  const record = sizeRecord({ kind: 'samples', batch: batchOf(texts) })
  const memory = new SharedArrayBuffer(record.bytes)
  assert.equal(writeRecord(viewMemory(memory), 0, record), record.bytes)
  let read: Texts = []
  readRecords(new Uint8Array(memory), ({ batch }) => {
    read = batch.texts ?? new Array(batch.count).fill(undefined)
    assert.deepEqual([...batch.times], [...texts.keys()])
    assert.ok(batch.numbers.every((number) => number === 0.5))
  })
  return Array.from(read)
}

test(`texts come out of a record as they went in (WEIR_TEST_SEED=${seed})`, () => {
  const text = fc.string({ unit: anyCharacter, maxLength: 20 })
  const list = fc.array(fc.option(text, { nil: undefined }), { maxLength: 60 })
  fc.assert(
    fc.property(list, (texts) => assert.deepEqual(roundTrip(texts), texts)),
    { seed },
  )
})

test('step() encodes many and long texts in several steps, to the same record', () => {
  const many = Array.from({ length: 40_000 }, (_, at) => (at % 3 === 0 ? undefined : `t${at}€`))
  const long = Array.from({ length: 5 }, (_, at) => `${at}`.repeat(1_000_000))
  for (const texts of [many, long, [...long, ...many]]) {
    const packer = new TextPacker(texts, texts.length)
    let steps = 0
    for (; !packer.isDone; steps += 1) packer.step()
    assert.ok(steps >= 2, `${steps} steps`)
    assert.equal(packer.texts, texts)
    assert.deepEqual(roundTrip(texts), texts)
  }
})

test('a lone surrogate becomes U+FFFD in the record and beside it; the array given stays', () => {
  const given = ['a', '\ud800', undefined, 'b\udc00c']
  const packer = new TextPacker(given, given.length)
  packer.step()
  assert.deepEqual(packer.texts, ['a', '\ufffd', undefined, 'b\ufffdc'])
  assert.deepEqual(given, ['a', '\ud800', undefined, 'b\udc00c'])
  assert.deepEqual(roundTrip(given), packer.texts)
  assert.deepEqual(packer.packed, packTexts(batchOf(given)))
})
