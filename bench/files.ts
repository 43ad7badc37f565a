/**
 * `npm run bench:files`: one large upload and its download against a started service, and how far
 * they move the memory of its process. WEIR_BENCH_FILE_BYTES changes the size (2 GB).
 */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { KEY, startWeir } from './peers/weir.ts'

const FILE_BYTES = Number(process.env.WEIR_BENCH_FILE_BYTES ?? 2_000_000_000)
const WARM_BYTES = 50_000_000
const RSS_GROWTH_MAX_BYTES = 64_000_000

/** The bytes of the file: one block over and over, so that making them costs little. */
function* contentOf(bytes: number): Generator<Buffer> {
  const block = Buffer.alloc(64 * 1024, 'The quick brown fox jumps over the lazy dog. ')
  for (let left = bytes; left > 0; left -= block.length)
    yield left < block.length ? block.subarray(0, left) : block
}

/** The greatest resident memory of a process while a task runs. */
async function peakRss<T>(pid: number, task: Promise<T>): Promise<{ peak: number; result: T }> {
  let peak = rssOf(pid)
  const timer = setInterval(() => {
    peak = Math.max(peak, rssOf(pid))
  }, 50)
  try {
    const result = await task
    return { peak, result }
  } finally {
    clearInterval(timer)
  }
}

function rssOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024
}

async function upload(url: string, bytes: number): Promise<void> {
  const headers = { 'content-type': 'application/octet-stream', 'content-length': bytes }
  const put = request(url, { method: 'PUT', headers })
  const answered = once(put, 'response')
  await pipeline(Readable.from(contentOf(bytes)), put)
  const [answer] = await answered
  answer.resume()
  if (answer.statusCode !== 200) throw new Error(`PUT answered ${answer.statusCode}`)
}

async function download(url: string): Promise<string> {
  const get = request(url)
  get.end()
  const [answer] = await once(get, 'response')
  if (answer.statusCode !== 200) throw new Error(`GET answered ${answer.statusCode}`)
  const hash = createHash('sha256')
  for await (const chunk of answer) hash.update(chunk)
  return hash.digest('hex')
}

async function measure(dataDir: string): Promise<void> {
  const { port, process: child } = await startWeir(dataDir)
  const pid = child.pid ?? 0
  try {
    const address = (name: string) =>
      `http://127.0.0.1:${port}/api/comp/bench/stream/f/feed/file/${name}?api_key=${KEY}`
    await upload(address('warm'), WARM_BYTES)
    await download(address('warm'))
    const before = rssOf(pid)
    const uploadedAt = performance.now()
    const put = await peakRss(pid, upload(address('large'), FILE_BYTES))
    const downloadedAt = performance.now()
    const got = await peakRss(pid, download(address('large')))
    const endedAt = performance.now()
    const expected = createHash('sha256')
    for (const block of contentOf(FILE_BYTES)) expected.update(block)
    if (got.result !== expected.digest('hex')) throw new Error('The file came back changed')
    const megabytes = (bytes: number) => (bytes / 1e6).toFixed(0)
    const rate = (ms: number) => (FILE_BYTES / 1e3 / ms).toFixed(0)
    const growth = Math.max(put.peak, got.peak) - before
    console.log(`machine    ${cpus().length} x ${cpus()[0].model}, Node ${process.version}`)
    console.log(`upload     ${megabytes(FILE_BYTES)} MB at ${rate(downloadedAt - uploadedAt)} MB/s`)
    console.log(`download   ${megabytes(FILE_BYTES)} MB at ${rate(endedAt - downloadedAt)} MB/s`)
    console.log(`memory     ${megabytes(before)} MB before`)
    console.log(`           ${megabytes(put.peak)} MB at most during the upload`)
    console.log(`           ${megabytes(got.peak)} MB at most during the download`)
    console.log(`           moved by ${megabytes(growth)} MB`)
    if (growth >= RSS_GROWTH_MAX_BYTES) {
      console.log(`That is more than the ${megabytes(RSS_GROWTH_MAX_BYTES)} MB it may be.`)
      process.exitCode = 1
    }
  } finally {
    child.kill('SIGKILL')
  }
}

const dataDir = mkdtempSync(join(tmpdir(), 'weir-bench-files-'))
try {
  await measure(dataDir)
} finally {
  rmSync(dataDir, { recursive: true, force: true })
}
