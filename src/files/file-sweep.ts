import type { Clock } from '../base/index.ts'
import {
  type BlobStore,
  type JobRun,
  LeasedJob,
  type LeasedJobDeps,
  type SampleStore,
  type StreamHandle,
} from '../store/index.ts'
import { allOf, keysIn } from './files-in.ts'
import { LiveKeys } from './live-keys.ts'

interface FileSweepDeps extends LeasedJobDeps {
  readonly blobs: BlobStore
  readonly store: SampleStore
  /** Every stream that holds files. */
  readonly fileStreams: () => Iterable<StreamHandle>
  /** Bodies that are no files of samples, and are needed. */
  readonly others?: () => AsyncIterable<string>
  readonly clock: Clock
}

const EVERY_MS = 3_600_000

/** Streams looked at before the lease is renewed. */
const STREAMS_PER_SLICE = 100

/**
 * The job that removes the bodies that no sample names: what uploads and deletions leave when they are
 * cut short by a crash. A run returns the number of removed bodies.
 */
export function makeFileSweep(deps: FileSweepDeps): LeasedJob {
  const job = { name: 'file_sweep', everyMs: EVERY_MS }
  return new LeasedJob(deps, { ...job, work: (run) => sweep(deps, run) })
}

async function sweep(deps: FileSweepDeps, run: JobRun): Promise<number> {
  const { blobs, clock, store } = deps
  // Samples that cannot be read at present may come back, and would miss their bodies then.
  if (store.status().damages.length > 0) return 0
  // Bodies that come while the samples are read are younger than this and spared by their age.
  const startedAt = clock.now()
  const live = new LiveKeys()
  let seenCount = 0
  for (const handle of deps.fileStreams()) {
    if (run.isOver) return 0
    seenCount += 1
    if (seenCount % STREAMS_PER_SLICE === 0 && !(await run.mayGoOn())) return 0
    for await (const key of keysIn(store, allOf(handle))) live.add(key)
  }
  for await (const key of deps.others?.() ?? []) live.add(key)
  return await blobs.sweep((key) => run.isOver || live.has(key), startedAt)
}
