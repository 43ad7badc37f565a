import { type Clock, nextIteration, refuse } from '../base/index.ts'
import type { HistoryWork, JobBook } from '../derivation/index.ts'
import type { BlobStore } from '../store/index.ts'
import { readBlock } from './correction-blocks.ts'
import { type CorrectedSamples, restoreBlock } from './correction-work.ts'

interface UndoDeps {
  readonly blobs: Pick<BlobStore, 'read'>
  readonly book: JobBook
  readonly clock: Clock
  readonly store: CorrectedSamples
}

/** Puts the samples of a correction back as they were. */
export function undoWork(deps: UndoDeps): HistoryWork {
  return {
    check: async () => {},
    run: async (handle, job, control) => {
      const { book, blobs } = deps
      const undone = await book.find(job.orgUid, job.correction?.undoOf ?? '')
      const { correction, blocks = [] } = undone ?? {}
      if (undone === undefined || correction === undefined) {
        return refuse('conflict', { what: 'The correction is gone' })
      }
      // Jobs of a component run one after the other; several may have been begun.
      if (correction.undoneBy !== '' && correction.undoneBy !== job.uid) {
        return refuse('conflict', { what: 'The correction was undone already' })
      }
      const rule = { action: correction.action, value: correction.value }
      let { done } = job
      let left = job.correction?.leftCount ?? 0
      for (const block of blocks) {
        if (block.until <= job.at) continue
        left += await restoreBlock(deps, { handle, rule }, block, await readBlock(blobs, block))
        done += block.count
        const progress = { at: block.until, done, total: Math.max(job.total, done) }
        const about = { ...job.correction, leftCount: left } as typeof job.correction
        if (!(await control.keep({ ...progress, correction: about }))) return
        await nextIteration()
      }
      await book.change(undone.orgUid, undone.uid, (before) => ({
        ...before,
        correction: before.correction && {
          ...before.correction,
          undoUntil: null,
          undoneBy: job.uid,
        },
      }))
    },
  }
}
