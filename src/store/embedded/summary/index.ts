export { foldColumns, foldSummary, SummaryFold } from './summary-fold.ts'
export { encodeSummary, isSummaryBound, readSummary, summarizeChunk } from './summary-record.ts'
export { addRow, mergeSummaries, SummaryTable } from './summary-table.ts'
