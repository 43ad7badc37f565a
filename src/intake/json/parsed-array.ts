import { readId, refuse, showValue } from '../../base/plain.ts'
import { IncomingSamples, OpenTargets } from '../../feed/plain.ts'
import { requireSampleCount } from '../sample-count.ts'
import { addValue, isRecord, readTime } from './parsed-fields.ts'

/** Reads the array form of a feed body that JSON.parse has read; every stream stays open. */
export function readParsedArray(list: readonly unknown[]): IncomingSamples {
  requireSampleCount(list.length)
  const samples = new IncomingSamples(list.length)
  const targets = new OpenTargets(samples)
  for (let index = 0; index < list.length; index++) {
    const sample = list[index]
    const where = `sample ${index}`
    if (!isRecord(sample)) {
      refuse('bad_input', {
        what: `Cannot accept ${where}: it must be an object, got ${showValue(sample)}`,
      })
    }
    const compId = readId(sample.compId, where, 'compId')
    const streamId = readId(sample.streamId, where, 'streamId')
    const time = readTime(sample.time, where)
    targets.addById(compId, streamId, index)
    addValue(samples, time, sample.data, where)
  }
  return samples
}
