/**
 * `npm run bench:memory`: puts of a million samples at the same time to services with limits on how
 * much memory there is, and the most that each process has held. BENCH_PARALLEL=4,8 and
 * BENCH_MEMORY_MB=400 make it shorter.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChildService } from '../test/support/child-service.ts'
import { bodyOf, MALLOC_SETTINGS, memoryOf, putBody } from '../test/support/million-puts.ts'

const KEY = 'bench-bench-bench-bench'
const SAMPLES = 1_000_000
const POLL_MS = 10

const numbers = (text: string): number[] => text.split(',').map(Number)
const memories = numbers(process.env.BENCH_MEMORY_MB ?? '400,700')
const parallels = numbers(process.env.BENCH_PARALLEL ?? '4,8,16')

async function measure(memoryMb: number, parallel: number, body: Buffer): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'weir-bench-'))
  const service = await startChildService(dataDir, {
    WEIR_FEED_KEY: KEY,
    WEIR_RATE_LIMITS: 'off',
    WEIR_MEMORY_MB: String(memoryMb),
    ...MALLOC_SETTINGS,
  })
  let anonymous = 0
  const timer = setInterval(() => {
    anonymous = Math.max(anonymous, memoryOf(service.pid, 'RssAnon'))
  }, POLL_MS)
  try {
    const url = `${service.url}/api/feed?api_key=${KEY}`
    const puts = Array.from({ length: parallel }, () => putBody(url, body))
    const answers = await Promise.all(puts)
    const count = (status: number) => answers.filter((answer) => answer.status === status).length
    const others = parallel - count(200) - count(503)
    const figures = [count(200), count(503), others, memoryOf(service.pid, 'VmHWM'), anonymous]
    return `| ${memoryMb} | ${parallel} | ${figures.join(' | ')} |`
  } finally {
    clearInterval(timer)
    await service.kill()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const body = bodyOf('c', SAMPLES)
console.log(
  '| memory told, MiB | puts at once | 200 | 503 | other | peak RSS MiB | peak anonymous MiB |',
)
console.log('|---|---|---|---|---|---|---|')
for (const memoryMb of memories) {
  for (const parallel of parallels) console.log(await measure(memoryMb, parallel, body))
}
console.log(`\n${cpus().length} cores (${cpus()[0]?.model.trim()}), Node ${process.version}`)
