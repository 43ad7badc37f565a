/**
 * How fast the embedded store takes samples, without HTTP: `node bench/append.ts`. Batches of 1,000
 * samples over 100 streams with 4 in flight, then single samples with 16 in flight.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSampleStore } from '../src/store/embedded/index.ts'
import type { SampleBatch, SampleStore } from '../src/store/index.ts'

const START = 1_700_000_000_000

function batchOf(samples: number, streams: number, round: number): SampleBatch {
  const handles = new Uint32Array(samples)
  const times = new Float64Array(samples)
  const numbers = new Float64Array(samples)
  const perStream = samples / streams
  for (let index = 0; index < samples; index += 1) {
    handles[index] = 1 + (index % streams)
    times[index] = START + (round * perStream + Math.floor(index / streams)) * 1000
    numbers[index] = Math.round(Math.sin(round + index) * 2000) / 100
  }
  return { count: samples, handles, times, numbers, removals: [] }
}

interface Load {
  readonly samples: number
  readonly streams: number
  readonly inFlight: number
  readonly calls: number
}

async function drive(store: SampleStore, load: Load): Promise<void> {
  const { samples, streams, inFlight, calls } = load
  let round = 0
  const latencies: number[] = []
  const began = performance.now()
  const worker = async (): Promise<void> => {
    while (round < calls) {
      const batch = batchOf(samples, streams, round)
      round += 1
      const sent = performance.now()
      await store.append(batch)
      latencies.push(performance.now() - sent)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, worker))
  const seconds = (performance.now() - began) / 1000
  latencies.sort((a, b) => a - b)
  const at = (share: number): string => latencies[Math.floor(latencies.length * share)].toFixed(2)
  console.log(
    `${samples} samples a call, ${inFlight} in flight: ` +
      `${Math.round((calls * samples) / seconds).toLocaleString('en')} samples/s, ` +
      `${Math.round(calls / seconds).toLocaleString('en')} calls/s, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`,
  )
}

const folder = mkdtempSync(join(tmpdir(), 'weir-append-'))
const store = await openSampleStore({ folder })
try {
  await drive(store, { samples: 1000, streams: 100, inFlight: 4, calls: 1000 })
  await drive(store, { samples: 1000, streams: 100, inFlight: 4, calls: 4000 })
  await drive(store, { samples: 1, streams: 1, inFlight: 16, calls: 50_000 })
  console.log(`rss ${Math.round(process.memoryUsage().rss / 2 ** 20)} MB`)
} finally {
  const began = performance.now()
  await store.close()
  const closed = performance.now()
  const again = await openSampleStore({ folder })
  console.log(
    `close ${Math.round(closed - began)} ms, open ${Math.round(performance.now() - closed)} ms`,
  )
  await again.close()
  rmSync(folder, { recursive: true })
}
