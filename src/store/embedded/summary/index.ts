export {
  type FoldDoubts,
  foldColumns,
  foldSummary,
  hasOpen,
  SummaryFold,
} from './summary-fold.ts'
export { isSummaryBound, readStatistic, readSummary, summarizeChunk } from './summary-record.ts'
export type { SummaryTable } from './summary-table.ts'
