/** Texts that could not be kept as they were sent are refused by name, never changed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '../../base/index.ts'
import type { StreamHandle } from '../../store/index.ts'
import { StreamCache, type StreamResolver } from '../stream-cache.ts'
import { readJsonSamples } from './json-samples.ts'

/** Every stream that is asked for exists, also one whose ID is what decoding makes of bad bytes. */
const everyStream: StreamResolver = {
  generation: 0,
  resolve: () => 1 as StreamHandle,
  keepsDigits: () => false,
}
const noStream: StreamResolver = { ...everyStream, resolve: () => 0 }

/** In a body, `~` stands for a byte that is no UTF-8. */
function bodyOf(text: string): Buffer {
  return Buffer.from(Buffer.from(text).map((byte) => (byte === 0x7e ? 0xff : byte)))
}

async function read(text: string, resolver = everyStream): Promise<readonly unknown[]> {
  const source = { cache: new StreamCache(resolver), orgUid: 'o', createMax: 1_000 }
  const samples = await readJsonSamples(bodyOf(text), source)
  return Array.from(
    { length: samples.count },
    (_, at) => samples.texts?.[at] ?? samples.numbers[at],
  )
}

async function refusedText(text: string): Promise<string> {
  for (const resolver of [everyStream, noStream]) {
    await assert.rejects(read(text, resolver), Refusal, text)
  }
  const error = await read(text).catch((refusal: Refusal) => refusal)
  return (error as Refusal).message
}

test('readJsonSamples() refuses texts that are no Unicode, with sample and field', async () => {
  const check = async (samples: string, where: string) =>
    assert.match(await refusedText(samples), new RegExp(`${where} is not valid Unicode`), samples)
  const good = '{"compId":"c","streamId":"s","data":"\u00e9","time":1700000000000}'
  await check('[{"compId":"c","streamId":"s","data":"a~b"}]', 'sample 0: "data"')
  await check(`[${good},{"compId":"c","streamId":"s","data":"~"}]`, 'sample 1: "data"')
  await check(`[${good},{"compId":"c","streamId":"s~","data":1}]`, 'sample 1: "streamId"')
  await check('[{"compId":"~c","streamId":"s","data":1}]', 'sample 0: "compId"')
  await check('[ {"compId":"~c", "streamId":"s", "data":1}]', 'sample 0: "compId"')
  await check('[{"compId":"c","streamId":"s","data":"\\ud800"}]', 'sample 0: "data"')
  await check('[{"compId":"c","streamId":"s","data":"\\ud800~\\udc00"}]', 'sample 0: "data"')
  const batch = (stream: string) =>
    `{"feed":{"component":[{"componentId":"c","stream":[${stream}]}]}}`
  const first = 'component 0, stream 0'
  await check(batch('{"streamId":"s","data":["~"]}'), `${first}, value 0: "data"`)
  await check(batch('{"streamId":"s~","data":[1]}'), `${first}: "streamId"`)
  await check(batch('{"streamId":"s","data":["\\udc00"]}'), `${first}, value 0: "data"`)
})

test('readJsonSamples() keeps every text that is Unicode, and minds no byte that is not kept', async () => {
  const data = (text: string) => `[{"compId":"c","streamId":"s","data":"${text}"}]`
  for (const text of ['\ufffd', '\u00e9', '\ud83d\ude00']) {
    assert.deepEqual(await read(data(text)), [text])
  }
  assert.deepEqual(await read('[{"compId":"c","streamId":"s","data":"\ufffd","note":"~"}]'), [
    '\ufffd',
  ])
  assert.deepEqual(await read('[{"compId":"c","streamId":"s","data":"\ud83d\ude00","note":"~"}]'), [
    '\ud83d\ude00',
  ])
})

test('a stream whose ID holds U+FFFD is not found by bytes that are no UTF-8', async () => {
  const asked: string[] = []
  const resolver = {
    ...everyStream,
    resolve: (_org: string, _compId: string, streamId: string) => {
      asked.push(streamId)
      return 1 as StreamHandle
    },
  }
  await assert.rejects(read('[{"compId":"c","streamId":"s~","data":1}]', resolver), Refusal)
  assert.deepEqual(asked, [])
  assert.deepEqual(await read('[{"compId":"c","streamId":"s\ufffd","data":1}]', resolver), [1])
  assert.deepEqual(asked, ['s\ufffd'])
})

test('readJsonSamples() takes times as texts, in both forms', async () => {
  const source = { cache: new StreamCache(everyStream), orgUid: 'o', createMax: 1_000 }
  const timesOf = async (text: string) => {
    const samples = await readJsonSamples(Buffer.from(text), source)
    return [...samples.times.subarray(0, samples.count)]
  }
  const list = ['"1700000000000"', '" 1700000000001 "', '"1.7e12"', '-5', '"-5"'].map(
    (time) => `{"compId":"c","streamId":"s","data":1,"time":${time}}`,
  )
  const times = [1_700_000_000_000, 1_700_000_000_001, 1_700_000_000_000, -5, -5]
  assert.deepEqual(await timesOf(`[${list}]`), times)
  assert.deepEqual(await timesOf(`[${list[0]},${list[4]}]`), [times[0], -5])
  const stream = '{"streamId":"s","data":[1,2],"time":["1700000000000",3]}'
  const batch = `{"feed":{"component":[{"componentId":"c","stream":[${stream}]}]}}`
  assert.deepEqual(await timesOf(batch), [1_700_000_000_000, 3])
  for (const time of ['""', '"x"', '"1.5"', '"99999999999999"', '"1700000000000']) {
    const body = `[{"compId":"c","streamId":"s","data":1,"time":${time}}]`
    await assert.rejects(async () => await timesOf(body), Refusal, time)
  }
})
