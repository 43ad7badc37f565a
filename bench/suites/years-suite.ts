import { sendOnce } from '../load/connection.ts'
import { drive } from '../load/drive.ts'
import { PutTemplate, Walk } from '../load/put-template.ts'
import type { RunningPeer } from '../peers/service.ts'
import { statistic, weir } from '../peers/weir.ts'
import type { Row } from '../report.ts'
import { printProgress, type Settings, withPeer } from '../settings.ts'
import { timeBest } from './read-suite.ts'

const MINUTE_MS = 60_000
const MINUTES = 10 * 365 * 24 * 60
const SAMPLES_PER_CALL = 1_000
const stream = { compId: 'meter', streamId: 'power' }

const cycles = [
  { cycle: 'day', aimMs: 2, itemsMin: 1_000 },
  { cycle: 'month', aimMs: 2, itemsMin: 119 },
  { cycle: 'year', aimMs: 2, itemsMin: 10 },
  { cycle: 'hour', aimMs: 5, itemsMin: 1_000 },
]

/** Statistics over ten years of one sample a minute; only Weir has calendars, so only it is asked. */
export async function yearsSuite(settings: Settings): Promise<Row[]> {
  if (!settings.peers.includes(weir)) return []
  return withPeer(weir, async (running) => {
    printProgress(`Weir: ${MINUTES} samples, one a minute`)
    await fill(running)
    await running.settle()
    const rows: Row[] = []
    for (const { cycle, aimMs, itemsMin } of cycles) {
      const request = statistic(stream, cycle, 'max')
      const items = JSON.parse((await sendOnce(running, request)).body.toString('utf8'))
      if (items.length < itemsMin) throw new Error(`only ${items.length} intervals of ${cycle}`)
      const cell = await timeBest(running, [request], settings)
      rows.push({
        work: `ten years of minutes, ${cycle} max, latest 1,000`,
        unit: 'ms',
        aim: `p99 < ${aimMs}`,
        cells: { Weir: cell },
      })
    }
    return rows
  })
}

async function fill(running: RunningPeer): Promise<void> {
  const template = new PutTemplate(running.putForm, new Array(SAMPLES_PER_CALL).fill(stream))
  const walk = new Walk(1)
  const start = Math.floor(Date.now() / MINUTE_MS - MINUTES) * MINUTE_MS
  let call = 0
  await drive(running, {
    connections: 1,
    secondsMax: 300,
    callsMax: MINUTES / SAMPLES_PER_CALL,
    next: () => {
      const first = start + call++ * SAMPLES_PER_CALL * MINUTE_MS
      return template.fill(
        (sample) => first + sample * MINUTE_MS,
        () => walk.next(),
      )
    },
  })
}
