import { gzipSync } from 'node:zlib'
import { memoryPeakMb, type RunningPeer } from '../peers/service.ts'
import { KEY, weir } from '../peers/weir.ts'
import type { Row } from '../report.ts'
import { type Settings, tell, withPeer } from '../settings.ts'

/** A call that once stopped everyone, with the answer it gets. */
interface Attack {
  readonly work: string
  readonly status: number
  readonly path: string
  readonly init?: () => RequestInit
}

const DIGITS = '1'.repeat(100_000)

const attacks: readonly Attack[] = [
  {
    ...{ work: 'a value of 100,000 digits and an x', status: 200, path: '/api/feed' },
    init: () => put([{ compId: 'stall', streamId: 'text', data: `${DIGITS}x` }]),
  },
  {
    ...{ work: 'a limit of 100,000 digits and an x', status: 400 },
    path: `/api/comp/stall/feed?limit=${DIGITS}x`,
  },
  {
    ...{ work: 'a put that names 1,000,000 new components', status: 400, path: '/api/feed' },
    init: () => {
      const samples = Array.from({ length: 1_000_000 }, (_, at) => ({
        ...{ compId: `c${at}`, streamId: 's', data: 1, time: 1 },
      }))
      const { body } = put(samples)
      return {
        method: 'PUT',
        body: gzipSync(String(body)),
        headers: { 'content-encoding': 'gzip' },
      }
    },
  },
]

function put(samples: unknown): RequestInit {
  return { method: 'PUT', body: JSON.stringify(samples) }
}

/** The longest time that a parallel poll of /healthz waits while one hostile call is served. */
export async function stallSuite(settings: Settings): Promise<Row[]> {
  if (!settings.peers.includes(weir)) return []
  const rows: Row[] = []
  for (const attack of attacks) {
    tell(`Weir: ${attack.work}`)
    rows.push(await withPeer(weir, (running) => stalledBy(attack, running)))
  }
  return rows
}

async function stalledBy(attack: Attack, { port, process }: RunningPeer): Promise<Row> {
  const base = `http://127.0.0.1:${port}`
  await fetch(`${base}/api/feed?api_key=${KEY}`, put([{ compId: 'stall', streamId: 'a', data: 1 }]))
  const init = attack.init?.() ?? {}
  const call = { isOver: false }
  const polling = pollHealth(base, call)
  const began = performance.now()
  const joint = attack.path.includes('?') ? '&' : '?'
  const answer = await fetch(`${base}${attack.path}${joint}api_key=${KEY}`, init)
  await answer.arrayBuffer()
  const answeredMs = performance.now() - began
  call.isOver = true
  const worstMs = await polling
  if (answer.status !== attack.status) {
    throw new Error(`${attack.work} was answered ${answer.status}, not ${attack.status}`)
  }
  const memory = memoryPeakMb(process)
  const note = `answered after ${answeredMs.toFixed(0)} ms, ${memory?.toFixed(0) ?? '?'} MB`
  const cells = { Weir: { value: worstMs, note } }
  return { work: `longest wait of others during ${attack.work}`, unit: 'ms', aim: '< 100', cells }
}

/** Asks again as soon as it is answered, until the call is over, at least once. */
async function pollHealth(base: string, call: { readonly isOver: boolean }): Promise<number> {
  let worstMs = 0
  do {
    const began = performance.now()
    await (await fetch(`${base}/healthz`)).arrayBuffer()
    worstMs = Math.max(worstMs, performance.now() - began)
  } while (!call.isOver)
  return worstMs
}
