/** Reads a batch of more than a megabyte with all file handles in use, and again with them given back; prints both. */
import { closeSync, openSync } from 'node:fs'
import { Refusal } from '../../src/base/index.ts'
import { readJsonSamples, StreamCache } from '../../src/intake/index.ts'
import type { StreamHandle } from '../../src/store/index.ts'

const cache = new StreamCache({
  generation: 0,
  resolve: () => 1 as StreamHandle,
  keepsDigits: () => false,
})

async function output(): Promise<string> {
  const ofStream = (streamId: string) => ({ streamId, time: [1], data: ['x'.repeat(900_000)] })
  const component = [{ componentId: 'c', stream: [ofStream('s'), ofStream('t')] }]
  const body = Buffer.from(JSON.stringify({ feed: { component } }))
  try {
    const samples = await readJsonSamples(body, { cache, orgUid: 'o', createMax: 10 })
    return `${samples.count} samples`
  } catch (error) {
    return error instanceof Refusal ? error.code : String(error)
  }
}

const held: number[] = []
try {
  for (;;) held.push(openSync('/dev/null', 'r'))
} catch {
  // Now there is none left.
}
const without = await output()
for (const one of held) closeSync(one)
process.stdout.write(`${without}, ${await output()}\n`)
