import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { getRequest } from '../load/connection.ts'
import type { StreamName } from '../load/put-template.ts'
import { lineProtocol } from './influx.ts'
import {
  freePort,
  launch,
  type Peer,
  type RunningPeer,
  stop,
  untilQuiet,
  untilReady,
} from './service.ts'

/** The secret of the feed key, given by setting. */
export const KEY = '00000000-1111-2222-3333-444444444444'
/** The password of the owner. */
export const OWNER_PASSWORD = 'bench-bench'
const root = join(import.meta.dirname, '..', '..')

/** Weir as `npm start` runs it, without rate limits. */
export const weir: Peer = {
  name: 'Weir',
  isDurable: true,
  missing: () => undefined,
  start: (folder) => startWeir(folder),
}

/** Weir as a program that sends line protocol sees it. */
export const weirLines: Peer = { ...weir, start: startLines }

async function startLines(folder: string): Promise<RunningPeer> {
  const running = await startWeir(folder)
  const head = lineProtocol.head.replace('\r\n', `\r\nAuthorization: Token ${KEY}\r\n`)
  // Into the same object, whose process changes at a restart.
  return Object.assign(running, {
    putForm: { ...lineProtocol, head },
    lastValue: ({ compId, streamId }: StreamName) =>
      get(`comp/${compId}/stream/m_v%2Cs%3D${streamId}/last_value`),
    promql: (call: string) => getRequest(`/prom/api/v1/${call}&api_key=${KEY}`),
  })
}

/** Starts Weir over a data folder, new or used, with settings of its own; resolves when it is ready. */
export async function startWeir(
  folder: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<RunningPeer> {
  const port = await freePort()
  const launchAgain = () => launchWeir(folder, { WEIR_PORT: String(port), ...settings }, port)
  let child = await launchAgain()
  return {
    port,
    get process() {
      return child
    },
    ...weirCalls,
    async settle() {
      // A start seals what the journal holds; else the last segment would wait until it is full.
      await stop(child)
      child = await launchAgain()
      await untilQuiet(folder, { quietMs: 4_000, secondsMax: 60 })
    },
  }
}

/** What `npm start` gives to Node and to the C library. */
function startWords(): { env: Record<string, string>; flags: string[] } {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: { start: string }
  }
  const words = scripts.start.split(' ')
  const pairs = words.filter((word) => /^MALLOC_\w+=/.test(word))
  return {
    env: Object.fromEntries(pairs.map((pair) => pair.split('='))),
    flags: words.filter((word) => word.startsWith('--')),
  }
}

async function launchWeir(
  folder: string,
  settings: Readonly<Record<string, string>>,
  port: number,
): Promise<ChildProcess> {
  const profile = process.env.BENCH_PROFILE
  const args = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]
  const { env, flags } = startWords()
  const child = launch(process.execPath, [...args, ...flags, join(root, 'src', 'main.ts')], {
    ...env,
    NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'weir'),
    WEIR_DATA_DIR: folder,
    ...settings,
    WEIR_FEED_KEY: KEY,
    WEIR_OWNER_PASSWORD: OWNER_PASSWORD,
    WEIR_RATE_LIMITS: 'off',
    WEIR_QUOTAS: 'off',
  })
  try {
    await untilReady(child, { port }, getRequest('/readyz'))
    return child
  } catch (error) {
    await stop(child)
    throw error
  }
}

function get(path: string): Buffer {
  return getRequest(`/api/${path}${path.includes('?') ? '&' : '?'}api_key=${KEY}`)
}

const streamPath = ({ compId, streamId }: StreamName) => `comp/${compId}/stream/${streamId}`

/** How Weir is called. */
export const weirCalls: Pick<RunningPeer, 'putForm' | 'lastValue' | 'latest' | 'hourlyMax'> = {
  putForm: {
    head: `PUT /api/feed?api_key=${KEY} HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n`,
    open: '[',
    between: ',',
    close: ']',
    sample: ({ compId, streamId }, time, value) =>
      `{"compId":"${compId}","streamId":"${streamId}","time":${time},"data":${value}}`,
    // As Python's json.dumps() writes.
    spaced: {
      open: '[',
      between: ', ',
      close: ']',
      sample: ({ compId, streamId }, time, value) =>
        `{"compId": "${compId}", "streamId": "${streamId}", "time": ${time}, "data": ${value}}`,
    },
    // As JSON.stringify() writes with two spaces.
    indented: {
      open: '[\n  ',
      between: ',\n  ',
      close: '\n]',
      sample: ({ compId, streamId }, time, value) =>
        `{\n    "compId": "${compId}",\n    "streamId": "${streamId}",\n    "time": ${time},\n    "data": ${value}\n  }`,
    },
  },
  lastValue: (stream) => get(`${streamPath(stream)}/last_value`),
  latest: (stream, count) => get(`${streamPath(stream)}/feed?limit=${count}`),
  hourlyMax: (streams, from, until) => {
    const path = streams.length === 1 ? streamPath(streams[0]) : `comp/${streams[0].compId}`
    return get(`${path}/cycle/hour/stat/max/feed?sd=${from}&ed=${until}`)
  },
}

/** A statistic of a cycle, the latest intervals up to the limit; only Weir has calendars. */
export function statistic(stream: StreamName, cycle: string, stat: string, limit?: number): Buffer {
  const query = limit === undefined ? '' : `?limit=${limit}`
  return get(`${streamPath(stream)}/cycle/${cycle}/stat/${stat}/feed${query}`)
}

/** Reads a range reduced to `points` pixels. Only Weir has such a call. */
export function plot(
  stream: StreamName,
  { from, until, points }: { from: number; until: number; points: number },
): Buffer {
  return get(`${streamPath(stream)}/plot?from=${from}&until=${until}&points=${points}`)
}
