import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../base/index.ts'
import { addressOf, outerUrls, storeLimitsFor } from './app-settings.ts'

const MB = 1024 * 1024

test('storeLimitsFor() lets more segments wait the more memory there is', () => {
  const f = (memoryMb: number, want: ReturnType<typeof storeLimitsFor>) =>
    assert.deepEqual(storeLimitsFor(memoryMb * MB), want, `${memoryMb} MB`)
  f(400, { backlogMax: 0, segmentBytes: 8 * MB })
  f(1_023, { backlogMax: 1, segmentBytes: 8 * MB })
  f(1_024, { backlogMax: 3 })
  f(2_048, { backlogMax: 3 })
  f(4_096, { backlogMax: 7 })
  f(8_192, { backlogMax: 15 })
  f(262_144, { backlogMax: 15 })
})

test('outerUrls() lists the addresses that other machines reach, and addressOf() one to open', () => {
  const of = (settings: Readonly<Record<string, string>>) => {
    const config = readConfig(settings)
    return { outer: outerUrls(config, 8080), own: addressOf(config, 8080) }
  }
  assert.deepEqual(of({}), { outer: [], own: 'http://127.0.0.1:8080' })
  const named = 'http://10.0.0.7:8080'
  assert.deepEqual(of({ WEIR_HOST: '10.0.0.7' }), { outer: [named], own: named })
  const [url, WEIR_PUBLIC_URL] = ['https://weir.example', 'https://weir.example/']
  assert.deepEqual(of({ WEIR_PUBLIC_URL }), { outer: [url], own: url })
  const every = of({ WEIR_HOST: '::' })
  const four = of({ WEIR_HOST: '0.0.0.0' })
  assert.equal(four.own, four.outer[0] ?? 'http://localhost:8080')
  assert.deepEqual(
    every.outer.filter((one) => !one.includes('[')),
    four.outer,
  )
})
