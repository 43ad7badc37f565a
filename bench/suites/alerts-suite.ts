import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { drive, percentilesOf } from '../load/drive.ts'
import { type PutLayout, putLayouts } from '../load/put-layouts.ts'
import { type Call, callerOf } from '../load/weir-caller.ts'
import { cpuSeconds, type RunningPeer } from '../peers/service.ts'
import { KEY, startWeir, weir } from '../peers/weir.ts'
import { better, type Cell, type Row } from '../report.ts'
import { printProgress, type Settings, withPeer } from '../settings.ts'
import { makeStreams } from './put-suite.ts'

const CALLS_MAX = 100_000_000
const LAYOUTS = ['bulk', 'single']
/** Streams that one alert names. */
const STREAMS_PER_ALERT = 1_000
/** Layouts put samples of the last weeks. */
const MAX_AGE_MS = 400 * 86_400_000
const SILENT_STREAMS = 100_000
const LINES_PER_CALL = 5_000
const SILENT_MS = 60_000
/** Fewer than a channel sends in a minute. */
const NOTICES = 50
const WEBHOOK_GAP_MS = 50
/** Counting the states of 100,000 streams takes some milliseconds of the service, so it is not asked more often. */
const ASK_EVERY_MS = 1_000

/** A rate, and the processor time of a call. */
interface Measured {
  readonly cell: Cell
  readonly cpuPerCall: number
}

/** Puts beside alerts as ratios of puts without, and how soon channels and silence are noticed. */
export async function alertsSuite(settings: Settings): Promise<Row[]> {
  if (!settings.peers.includes(weir)) return []
  const start = (folder: string) => startWeir(folder, { WEIR_OUTBOUND_ALLOW: '127.0.0.1' })
  const rows: Row[] = []
  for (const layout of putLayouts.filter(({ name }) => LAYOUTS.includes(name))) {
    rows.push(...(await withPeer({ start }, (running) => compare(running, layout, settings))))
  }
  rows.push(...(await withPeer({ start }, webhookLatency)))
  rows.push(...(await withPeer({ start }, silentDevices)))
  return rows
}

async function saveAlert(call: Call, record: object): Promise<string> {
  const { org_user: users } = (await call('GET', '/api/org_user')) as Record<
    string,
    { uid: string }[]
  >
  const alert = { name: 'bench', runningUser: { uid: users[0].uid }, ...record }
  const { alert: saved } = (await call('PUT', '/api/alert', { alert })) as Record<
    string,
    { uid: string }
  >
  return saved.uid
}

/** Puts without alerts, with a threshold on every stream, and with one on a hundredth of them, in turns. */
async function compare(
  running: RunningPeer,
  layout: PutLayout,
  { seconds, rounds }: Settings,
): Promise<Row[]> {
  printProgress(`Weir: ${layout.name} beside alerts`)
  await makeStreams(running, layout)
  const call = await callerOf(running.port)
  const next = layout.puts(running.putForm)
  const { connections, samplesPerCall } = layout
  const unit = samplesPerCall === 1 ? 'calls/s' : 'samples/s'
  const measure = async (before?: Measured): Promise<Measured> => {
    const load = { connections, secondsMax: seconds, callsMax: CALLS_MAX, next }
    const cpuBefore = cpuSeconds(running.process) ?? 0
    const { calls, seconds: took, p50Ms, p99Ms } = await drive(running, load)
    const cpuPerCall = ((cpuSeconds(running.process) ?? 0) - cpuBefore) / calls
    const value = (calls * samplesPerCall) / took
    printProgress(`  ${Math.round(value)} a second`)
    return {
      cell: better(unit, before?.cell, { value, p50Ms, p99Ms }),
      cpuPerCall: Math.min(before?.cpuPerCall ?? Number.POSITIVE_INFINITY, cpuPerCall),
    }
  }
  const watch = async (streams: PutLayout['streams']): Promise<string[]> => {
    const uids: string[] = []
    for (let at = 0; at < streams.length; at += STREAMS_PER_ALERT) {
      const some = streams.slice(at, at + STREAMS_PER_ALERT)
      const named = some.map(({ compId, streamId }) => ({ componentId: compId, streamId }))
      const about = { streams: named, condition: 'value > 1e300', maxAgeMs: MAX_AGE_MS }
      uids.push(await saveAlert(call, about))
    }
    await wait(2_000)
    return uids
  }
  const drop = async (uids: readonly string[]): Promise<void> => {
    for (const uid of uids) await call('DELETE', `/api/alert/${uid}`)
    await wait(2_000)
  }
  const few = layout.streams.slice(0, Math.ceil(layout.streams.length / 100))
  let [plain, all, some]: (Measured | undefined)[] = []
  await measure()
  for (let round = 0; round < rounds; round += 1) {
    plain = await measure(plain)
    const everything = await watch(layout.streams)
    all = await measure(all)
    await drop(everything)
    const hundredth = await watch(few)
    some = await measure(some)
    await drop(hundredth)
  }
  if (plain === undefined || all === undefined || some === undefined) return []
  const without = plain
  const ratio = ({ cell, cpuPerCall }: Measured) => {
    const rate = (cell.value / without.cell.value).toFixed(2)
    // Beside other programs, processor time says more than the rate.
    const cpu = (without.cpuPerCall / cpuPerCall).toFixed(2)
    return `${rate}x of without; ${cpu}x by processor time`
  }
  const row = (work: string, aim: string, cell: Cell): Row => ({
    work: `${layout.name}, ${work}`,
    unit,
    aim,
    cells: { Weir: cell },
  })
  const aim = samplesPerCall === 1 ? '≥ 0.95x' : '≥ 0.85x'
  return [
    row('without alerts', '', plain.cell),
    row('a threshold on every stream', aim, { ...all.cell, note: ratio(all) }),
    row('a threshold on 1 % of streams', '≥ 0.97x', { ...some.cell, note: ratio(some) }),
  ]
}

/** From the answer to a put, which is durable then, to the first byte of a webhook. */
async function webhookLatency(running: RunningPeer): Promise<Row[]> {
  printProgress('Weir: from a durable sample to a webhook')
  const arrivals: number[] = []
  const receiver = createServer((request, response) => {
    arrivals.push(performance.now())
    request.resume()
    response.end()
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  try {
    const call = await callerOf(running.port)
    const put = (value: number) =>
      fetch(`http://127.0.0.1:${running.port}/api/feed?compId=w&s=${value}&api_key=${KEY}`, {
        method: 'PUT',
      })
    await put(0)
    const { port } = receiver.address() as AddressInfo
    const { channel } = (await call('PUT', '/api/channel', {
      channel: {
        name: 'bench',
        kind: 'WEBHOOK',
        url: `http://127.0.0.1:${port}/`,
        perMinute: 60,
      },
    })) as Record<string, { uid: string }>
    await saveAlert(call, {
      streams: [{ componentId: 'w', streamId: 's' }],
      condition: 'value > 1',
      channels: [{ uid: channel.uid }],
    })
    await wait(1_000)
    const latencies: number[] = []
    for (let at = 0; at < NOTICES; at += 1) {
      const before = arrivals.length
      await put(at % 2 === 0 ? 2 : 0)
      const durable = performance.now()
      while (arrivals.length === before) await wait(1)
      latencies.push(arrivals[before] - durable)
      await wait(WEBHOOK_GAP_MS * Math.random())
    }
    const { p50Ms, p99Ms } = percentilesOf(latencies)
    const cells = { Weir: { value: p99Ms, p50Ms, p99Ms } }
    return [{ work: 'durable sample to webhook, p99', unit: 'ms', aim: '≤ 250 ms', cells }]
  } finally {
    receiver.close()
  }
}

/** How long after their deadline the last of many silent devices is noticed. */
async function silentDevices(running: RunningPeer): Promise<Row[]> {
  printProgress(`Weir: ${SILENT_STREAMS} silent devices`)
  const headers = { Authorization: `Token ${KEY}` }
  for (let at = 0; at < SILENT_STREAMS; at += LINES_PER_CALL) {
    const lines = Array.from(
      { length: LINES_PER_CALL },
      (_, line) => `temp,host=d${at + line},site=bench value=1`,
    )
    const url = `http://127.0.0.1:${running.port}/write`
    const answer = await fetch(url, { method: 'POST', headers, body: lines.join('\n') })
    if (!answer.ok) throw new Error(await answer.text())
  }
  const call = await callerOf(running.port)
  const uid = await saveAlert(call, { labels: { site: 'bench' }, silentForMs: SILENT_MS })
  const { alert } = (await call('GET', `/api/alert/${uid}`)) as Record<
    string,
    { startedMs: number }
  >
  // Streams that an alert begins to watch count as heard of at that moment.
  const deadlineMs = alert.startedMs + SILENT_MS
  const cpuBefore = cpuSeconds(running.process) ?? 0
  for (;;) {
    await wait(ASK_EVERY_MS)
    const { alert: now } = (await call('GET', `/api/alert/${uid}`)) as Record<
      string,
      { firingCount: number }
    >
    if (now.firingCount >= SILENT_STREAMS) break
    if (Date.now() > deadlineMs + 120_000) throw new Error(`${now.firingCount} streams fire`)
  }
  const value = (Date.now() - deadlineMs) / 1_000
  const note = `${((cpuSeconds(running.process) ?? 0) - cpuBefore).toFixed(1)} s of processor time`
  const work = `${SILENT_STREAMS} silent devices, noticed after their deadline`
  return [{ work, unit: 's', aim: '≤ 10 s', cells: { Weir: { value, note } } }]
}
