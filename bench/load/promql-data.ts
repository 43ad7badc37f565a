import type { RunningPeer } from '../peers/service.ts'
import { drive } from './drive.ts'
import { PutTemplate, Walk } from './put-template.ts'

/** Series that all have a sample at the same times. */
export interface PromqlData {
  /** The measurement; the metric is this name with `_v`. */
  readonly measurement: string
  /** The tags of each series. */
  readonly tags: readonly string[]
  /** The time of the last sample. */
  readonly lastTime: number
  readonly stepMs: number
  readonly samplesPerSeries: number
}

/** Lines of one put. */
const LINES_MAX = 1_000
const LOAD_SECONDS_MAX = 600

/** Values of each series in order, the same for every service. Series of one data set differ. */
export function walksOf({ tags }: PromqlData): Walk[] {
  return tags.map((_, at) => new Walk(at + 1))
}

/** When the first sample of each series lies. */
export function firstTimeOf({ lastTime, stepMs, samplesPerSeries }: PromqlData): number {
  return lastTime - (samplesPerSeries - 1) * stepMs
}

/** Loads a data set as line protocol, in the order of time. */
export async function loadPromql(running: RunningPeer, data: PromqlData): Promise<void> {
  const { measurement, tags, stepMs, samplesPerSeries } = data
  const streams = tags.map((streamId) => ({ compId: measurement, streamId }))
  const form = {
    ...running.putForm,
    sample: (stream: (typeof streams)[number], time: string, value: string) =>
      `${stream.compId},${stream.streamId} v=${value} ${time}`,
  }
  const walks = walksOf(data)
  const perCall = Math.min(LINES_MAX, tags.length)
  const rows = Math.max(1, Math.floor(LINES_MAX / tags.length))
  const parts = Math.ceil(tags.length / perCall)
  const templates = Array.from({ length: parts }, (_, part) => {
    const some = streams.slice(part * perCall, (part + 1) * perCall)
    const slots = Array.from({ length: some.length * rows }, (__, at) => some[at % some.length])
    return { template: new PutTemplate(form, slots), width: some.length }
  })
  const start = firstTimeOf(data)
  let call = 0
  await drive(running, {
    connections: 1,
    secondsMax: LOAD_SECONDS_MAX,
    callsMax: parts * Math.floor(samplesPerSeries / rows),
    next: () => {
      const part = call % parts
      const first = start + Math.floor(call / parts) * rows * stepMs
      call += 1
      const { template, width } = templates[part]
      return template.fill(
        (sample) => first + Math.floor(sample / width) * stepMs,
        (sample) => walks[part * perCall + (sample % width)].next(),
      )
    },
  })
}
