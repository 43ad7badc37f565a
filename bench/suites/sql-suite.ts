import { setTimeout as wait } from 'node:timers/promises'
import { Connection, getRequest, sendOnce } from '../load/connection.ts'
import { drive } from '../load/drive.ts'
import { PutTemplate, type StreamName, Walk } from '../load/put-template.ts'
import type { RunningPeer } from '../peers/service.ts'
import { OWNER_PASSWORD, weir } from '../peers/weir.ts'
import type { Cell, Row } from '../report.ts'
import { printProgress, type Settings, withPeer } from '../settings.ts'
import { timeBest } from './read-suite.ts'

const SAMPLES_PER_CALL = 1_000
const MINUTES = 10 * 365 * 24 * 60
const RAW_SAMPLES_MAX = 2_000_000
/** Between two questions of another client, who must not take the machine for itself. */
const PAUSE_MS = 2
const minutes = { compId: 'meter', streamId: 'power', stepMs: 60_000 }
const seconds = { compId: 'plant', streamId: 'flow', stepMs: 1_000 }

/** SELECT of stored data: what comes from sums, and what is handed over sample by sample. */
export async function sqlSuite(settings: Settings): Promise<Row[]> {
  if (!settings.peers.includes(weir)) return []
  return withPeer(weir, async (running) => {
    const session = await signIn(running.port)
    const yearsCount = Math.min(MINUTES, settings.samples)
    const rawCount = Math.min(RAW_SAMPLES_MAX, settings.samples)
    printProgress(`Weir: ${yearsCount} samples, one a minute, and ${rawCount}, one a second`)
    await fill(running, minutes, yearsCount)
    await fill(running, seconds, rawCount)
    await running.settle()
    const sqlOf = (text: string) => getRequest(`/api/gql?${session}&s=${encodeURIComponent(text)}`)
    const row = async (work: string, aim: string, text: string): Promise<Row> => {
      const { status, body } = await sendOnce(running, sqlOf(text))
      if (status !== 200) throw new Error(`${status}: ${body.toString('utf8').slice(0, 500)}`)
      const Weir = await timeBest(running, [sqlOf(text)], settings)
      return { work, unit: 'ms', aim, cells: { Weir } }
    }
    const ofMinutes = "cid = 'meter' AND id = 'power'"
    return [
      await row(
        'SELECT of daily maxima, ten years of minutes',
        '< 20',
        `SELECT time, sample FROM SAMPLE(cycleId = 'day', stat = 'max') WHERE ${ofMinutes} ORDER BY time`,
      ),
      await row(
        'SELECT of count, min, max and avg, ten years of minutes',
        'few ms',
        `SELECT count(*), min(sample), max(sample), avg(sample) FROM SAMPLE WHERE ${ofMinutes}`,
      ),
      await row(
        `SELECT of ${rawCount} samples grouped by hour, from sums`,
        'few ms',
        "SELECT time - time % 3600000 AS hour, count(*), avg(sample), max(sample) FROM SAMPLE WHERE cid = 'plant' AND id = 'flow' GROUP BY hour",
      ),
      ...(await rawRows(running, { rawCount, session, rounds: settings.rounds })),
    ]
  })
}

/** With a condition on each sample, which sums cannot stand in for. */
const GROUPED = `SELECT time - time % 3600000 AS hour, count(*), avg(sample), max(sample)
  FROM SAMPLE WHERE cid = 'plant' AND id = 'flow' AND sample IS NOT NULL GROUP BY hour ORDER BY hour`

/** How long raw samples take, and what others wait for meanwhile. */
async function rawRows(
  running: RunningPeer,
  { rawCount, session, rounds }: { rawCount: number; session: string; rounds: number },
): Promise<Row[]> {
  printProgress(`Weir: ${rawCount} raw samples grouped by hour`)
  const url = `http://127.0.0.1:${running.port}/api/gql?${session}&s=${encodeURIComponent(GROUPED)}`
  let best: { readonly seconds: number; readonly beside: Cell } | undefined
  for (let round = 0; round < rounds; round += 1) {
    const others = besideLastValues(running)
    const start = performance.now()
    const answer = await fetch(url)
    const { rows } = (await answer.json()) as { rows?: [number, number][] }
    const taken = (performance.now() - start) / 1_000
    const beside = await others()
    const counted = rows?.reduce((sum, [, count]) => sum + count, 0)
    if (counted !== rawCount) throw new Error(`${counted} samples of ${rawCount} were counted`)
    if (best === undefined || taken < best.seconds) best = { seconds: taken, beside }
  }
  if (best === undefined) return []
  const work = `SELECT of ${rawCount} raw samples grouped by hour`
  return [
    { work, unit: 's', aim: '< 4', cells: { Weir: { value: best.seconds } } },
    { work: 'last value meanwhile, p99', unit: 'ms', aim: '< 50', cells: { Weir: best.beside } },
  ]
}

/** Asks for a last value again and again; the returned function stops that and returns the response times. */
function besideLastValues(running: RunningPeer): () => Promise<Cell> {
  let isOver = false
  const taken: number[] = []
  const asking = (async () => {
    const connection = await Connection.open(running)
    while (!isOver) {
      const start = performance.now()
      await connection.send(running.lastValue(minutes, Date.now()))
      taken.push(performance.now() - start)
      await wait(PAUSE_MS)
    }
    connection.close()
  })()
  return async () => {
    isOver = true
    await asking
    const sorted = taken.toSorted((a, b) => a - b)
    const at = (part: number) =>
      sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]
    return { value: at(0.99), note: `p50 ${at(0.5).toFixed(2)} ms, longest ${at(1).toFixed(1)} ms` }
  }
}

async function signIn(port: number): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email: 'owner@localhost', password: OWNER_PASSWORD }),
  })
  const { sessionUid } = (await answer.json()) as { sessionUid?: string }
  if (sessionUid === undefined) throw new Error(`the sign-in was answered ${answer.status}`)
  return `session=${sessionUid}`
}

async function fill(
  running: RunningPeer,
  stream: StreamName & { readonly stepMs: number },
  samples: number,
): Promise<void> {
  const { stepMs } = stream
  const template = new PutTemplate(running.putForm, new Array(SAMPLES_PER_CALL).fill(stream))
  const walk = new Walk(1)
  const start = Math.floor(Date.now() / stepMs - samples) * stepMs
  let call = 0
  await drive(running, {
    connections: 1,
    secondsMax: 300,
    callsMax: samples / SAMPLES_PER_CALL,
    next: () => {
      const first = start + call++ * SAMPLES_PER_CALL * stepMs
      return template.fill(
        (sample) => first + sample * stepMs,
        () => walk.next(),
      )
    },
  })
}
