import { sendOnce } from '../load/connection.ts'
import { drive } from '../load/drive.ts'
import { PutTemplate, Walk } from '../load/put-template.ts'
import type { RunningPeer } from '../peers/service.ts'
import { plot, weir } from '../peers/weir.ts'
import type { Row } from '../report.ts'
import { printProgress, type Settings, withPeer } from '../settings.ts'
import { timeBest } from './read-suite.ts'

const SECOND_MS = 1_000
const SAMPLES_PER_CALL = 1_000
const POINTS = 2_000
const stream = { compId: 'drive', streamId: 'speed' }

/** Stretches of a stream, by the part of it that they show. */
const STRETCHES = 50

/** Charts of one long stream; the peers have no call that answers what pixels need. */
export async function plotSuite(settings: Settings): Promise<Row[]> {
  if (!settings.peers.includes(weir)) return []
  return withPeer(weir, async (running) => {
    const { samples } = settings
    printProgress(`Weir: ${samples} samples of one sensor, one a second`)
    const start = Math.floor(Date.now() / SECOND_MS - samples) * SECOND_MS
    await fill(running, start, samples)
    await running.settle()
    const whole = { from: start, until: start + samples * SECOND_MS, points: POINTS }
    const { body } = await sendOnce(running, plot(stream, whole))
    if (body.length < 100_000) throw new Error(`only ${body.length} bytes of a plot`)
    const row = async (work: string, part: number): Promise<Row> => {
      const requests = stretchesOf(whole, part).map((range) => plot(stream, range))
      const Weir = await timeBest(running, requests, settings)
      return { work: `${work}, ${POINTS} points`, unit: 'ms', aim: 'few ms', cells: { Weir } }
    }
    return [
      await row(`plot of ${samples} samples`, 1),
      await row('plot of a tenth of them', 0.1),
      await row('plot of a thousandth of them', 0.001),
    ]
  })
}

interface PlotRange {
  readonly from: number
  readonly until: number
  readonly points: number
}

/** Ranges as a person moves through them: each begins a little behind the one before. */
function stretchesOf({ from, until, points }: PlotRange, part: number): PlotRange[] {
  const length = Math.floor((until - from) * part)
  return Array.from({ length: STRETCHES }, (_, at) => {
    const start = from + Math.floor(((until - from - length) * at) / STRETCHES)
    return { from: start - at, until: start + length, points }
  })
}

async function fill(running: RunningPeer, start: number, samples: number): Promise<void> {
  const template = new PutTemplate(running.putForm, new Array(SAMPLES_PER_CALL).fill(stream))
  const walk = new Walk(1)
  let call = 0
  await drive(running, {
    connections: 1,
    secondsMax: 600,
    callsMax: samples / SAMPLES_PER_CALL,
    next: () => {
      const first = start + call++ * SAMPLES_PER_CALL * SECOND_MS
      return template.fill(
        (sample) => first + sample * SECOND_MS,
        () => walk.next(),
      )
    },
  })
}
