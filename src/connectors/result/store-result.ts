/** Stores a checked result, part after part, from where an earlier process has come to. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Principal } from '../../access/index.ts'
import { type EpochMs, type MemoryBudget, Refusal } from '../../base/index.ts'
import { POINT } from '../../catalog/shape/index.ts'
import type { Feed, IncomingSamples } from '../../feed/index.ts'
import { PUT_OPTIONS } from './make-result.ts'
import { bytesOfPart, samplesOf } from './part-samples.ts'
import type { ResultFile, ResultPart } from './result-file.ts'

interface StoreParts {
  readonly feed: Pick<Feed, 'put' | 'catalog'>
  readonly budget: MemoryBudget
  /** Whose rights hold, asked before each part. */
  readonly renew: () => Promise<Principal>
  readonly now: EpochMs
  /** Ends it between two parts. */
  readonly signal: AbortSignal
  /** Whether an earlier process has begun with it. */
  readonly isResumed: boolean
  /** Called with the number of samples stored so far. */
  readonly onStored: (samples: number) => void
}

/** A full disk or a crowd may pass: a part is tried again after these pauses. */
const RETRY_AFTER_MS = [500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000]

/** Stores what is not stored yet; when it resolves all of it is durable. */
export async function storeResult(parts: StoreParts, file: ResultFile): Promise<void> {
  const { moved } = await file.readFirst()
  const notAgain = new Set(moved)
  for (let number = file.progress.part; number <= file.partCount; number += 1) {
    parts.signal.throwIfAborted()
    const part = number === 0 ? await file.readFirst() : await file.readPart(number - 1)
    const choose = () => (number === 0 ? samplesOf(part) : chosenOf(parts, part, file, notAgain))
    await putWithPatience(parts, { file, number, part, choose })
    await file.noteStored(number)
    parts.onStored(number === 0 ? notAgain.size : part.first + part.block.count)
  }
}

/** Without those that were put first, and of a point only its last: it keeps none that came before. */
async function chosenOf(
  { feed, renew }: StoreParts,
  part: ResultPart,
  file: ResultFile,
  notAgain: ReadonlySet<number>,
): Promise<IncomingSamples> {
  const { orgUid } = await renew()
  const { index } = feed.catalog
  const isPoint = part.streams.map(({ compId, streamId }) => {
    const component = index.resolveComponent(orgUid, compId)
    const handle = component === undefined ? 0 : index.resolveStream(component, streamId)
    return handle !== 0 && index.kindOf(handle) === POINT
  })
  const { last } = file.summary
  return samplesOf(part, (number, stream) => {
    if (isPoint[stream]) return last[part.streams[stream].number] === number
    return !notAgain.has(number)
  })
}

interface PartPut {
  readonly file: ResultFile
  readonly number: number
  readonly part: ResultPart
  readonly choose: () => IncomingSamples | Promise<IncomingSamples>
}

async function putWithPatience(parts: StoreParts, put: PartPut): Promise<void> {
  for (const pauseMs of RETRY_AFTER_MS) {
    try {
      return await putPart(parts, put)
    } catch (error) {
      const mayPass = error instanceof Refusal && (error.status >= 500 || error.status === 429)
      if (!mayPass) throw error
    }
    await pause(pauseMs, undefined, { signal: parts.signal })
  }
  await putPart(parts, put)
}

async function putPart(parts: StoreParts, { file, number, part, choose }: PartPut): Promise<void> {
  const { budget, feed, isResumed, now, renew } = parts
  const share = budget.emptyShare()
  try {
    await share.resize(bytesOfPart(part))
    const samples = await choose()
    if (samples.count === 0) return
    const { progress } = file
    const earlier = progress.part === number ? (progress.assigned ?? []) : []
    await feed.put(await renew(), {
      samples,
      options: PUT_OPTIONS,
      uploadTime: now,
      share,
      renew,
      repeat: {
        earlier,
        isPast: isResumed,
        keep: (spans) => file.noteAssigned(number, spans),
      },
    })
  } finally {
    share.release()
  }
}
