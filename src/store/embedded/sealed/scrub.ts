import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { ScrubFinding, ScrubPass } from '../../ports/scrub-port.ts'
import { samplePartOf } from '../../scrub/known-damage.ts'
import type { FoundDamage } from '../damage/found-damage.ts'
import type { ScrubStep } from './scrub-table.ts'

/** What a scrub reads. */
export interface ScrubStart {
  /** Where samples.db is. */
  readonly file: string
  /** Segments of the journal that are not sealed; the open one is still written to. */
  readonly segments: ReadonlyArray<{ readonly path: string; readonly isOpen: boolean }>
}

/** Reads samples.db and the journal back in a thread of its own; ends early when the signal fires. */
export async function scrubSamples(
  start: ScrubStart,
  pass: ScrubPass,
  options: { readonly signal: AbortSignal; onDamage(found: FoundDamage): void },
): Promise<void> {
  const { signal } = options
  if (signal.aborted || !(await pass.mayGoOn()) || signal.aborted) return
  const worker = new Worker(new URL('./scrub-thread.ts', import.meta.url), {
    workerData: start,
    name: 'scrub',
  })
  const stop = (): void => void worker.terminate()
  signal.addEventListener('abort', stop)
  try {
    let isDone = false
    while (!isDone) {
      worker.postMessage('next')
      const step = await nextStep(worker, signal)
      if (step === undefined) return
      pass.onChecked(step.items, step.bytes)
      for (const found of step.damages) {
        options.onDamage(found)
        pass.onDamage(findingOf(found))
      }
      isDone = step.isDone
      if (!isDone && !(await pass.mayGoOn())) return
    }
  } finally {
    signal.removeEventListener('abort', stop)
    await worker.terminate()
  }
}

/** The worker's next answer; undefined after a stop, an error when it died. */
async function nextStep(worker: Worker, signal: AbortSignal): Promise<ScrubStep | undefined> {
  if (signal.aborted) return undefined
  try {
    const [step] = await once(worker, 'message', { signal })
    return step as ScrubStep
  } catch (error) {
    if (signal.aborted) return undefined
    throw error
  }
}

function findingOf({ damage }: FoundDamage): ScrubFinding {
  const { file, handles, from, until, what } = damage
  return { part: samplePartOf(file), what: `${file}: ${what}`, handle: handles[0], from, until }
}
