import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ChildService, startChildService } from './child-service.ts'

/** What `npm start` sets for the C library: memory that is free goes back to the system. */
export const MALLOC_SETTINGS = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '1048576' }

const STREAMS = 100
const FIRST_TIME = 1_700_000_000_000

/** A body of samples to the hundred streams of one component, as devices write them or with blanks between them. */
export function bodyOf(compId: string, samples: number, blanks = 0): Buffer {
  const parts: string[] = []
  for (let index = 0; index < samples; index += 1) {
    const time = FIRST_TIME + Math.floor(index / STREAMS) * 1_000
    const value = (index % 997) / 10
    parts.push(
      `{"compId":"${compId}","streamId":"s${index % STREAMS}","time":${time},"data":${value}}`,
    )
  }
  return Buffer.from(`[${parts.join(`,${' '.repeat(blanks)}`)}]`)
}

/** The answer to a put. */
export interface PutAnswer {
  /** 0 when the connection broke. */
  readonly status: number
  readonly retryAfter: string | undefined
}

/** Puts a body over a connection of its own. */
export function putBody(url: string, body: Buffer): Promise<PutAnswer> {
  return new Promise((resolve) => {
    const headers = { 'content-length': body.length }
    const put = request(url, { method: 'PUT', agent: false, headers }, (answer) => {
      answer.resume()
      const retryAfter = answer.headers['retry-after']
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, retryAfter }))
    })
    put.on('error', () => resolve({ status: 0, retryAfter: undefined }))
    put.end(body)
  })
}

/** A figure of /proc/<pid>/status, such as VmHWM, in MiB. */
export function memoryOf(pid: number, figure: 'VmHWM' | 'VmRSS' | 'RssAnon'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(new RegExp(`${figure}:\\s+(\\d+)`).exec(status)?.[1]) / 1024)
}

/** A service over an empty folder with a given amount of memory; `kill` removes the folder, too. */
export async function startReportedMb(memoryMb: number, key: string): Promise<ChildService> {
  const dataDir = mkdtempSync(join(tmpdir(), 'weir-memory-'))
  const service = await startChildService(dataDir, {
    WEIR_FEED_KEY: key,
    WEIR_RATE_LIMITS: 'off',
    WEIR_MEMORY_MB: String(memoryMb),
    ...MALLOC_SETTINGS,
  })
  const kill = async () => {
    await service.kill()
    rmSync(dataDir, { recursive: true, force: true })
  }
  return { ...service, kill }
}
