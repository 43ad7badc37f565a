export { cursorWrite, readCursor } from './background/derivation-cursor.ts'
export { CatalogGraph } from './catalog-graph.ts'
export { isProblem } from './derivation-plan.ts'
export { deriveAgain } from './derive-stream.ts'
export type { DerivationViews } from './explain/derivation-views.ts'
export type { HistoryJobs, HistoryWork, JobControl } from './history/history-jobs.ts'
export {
  beginJob,
  type CorrectionBlock,
  type HistoryJob,
  JOB_KINDS,
  JOB_STATUSES,
  JobBook,
  type JobCorrection,
  type JobRecord,
  showJob,
} from './history/job-book.ts'
export { StreamDeriver } from './stream-deriver.ts'
