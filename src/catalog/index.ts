export {
  type AddressRule,
  addressOfSeries,
  BLANK_RULE,
  checkAddressRule,
  type NewAddress,
  type SeriesAddress,
} from './address/address-rule.ts'
export { findLabelMistake } from './address/label-bounds.ts'
export { Catalog, openCatalog } from './catalog.ts'
export { resultType } from './derived/result-type.ts'
export { readingOf } from './derived/variable-reading.ts'
export type { InferredType } from './documents/apply-inferred-types.ts'
export type { People } from './documents/catalog-base.ts'
export type { CatalogNews } from './documents/catalog-news.ts'
export type { DeletedStream } from './documents/documents.ts'
export { listPermitted } from './documents/list-permitted.ts'
export {
  type Author,
  announceChange,
  planChange,
  quoted,
  type RecordChange,
} from './documents/record-change.ts'
export { type ComponentEntry, StreamIndex, streamPlaces } from './index/stream-index.ts'
export type { LabelTable } from './labels/label-table.ts'
export { type LabelMatcher, selectSeries } from './labels/select-series.ts'
export type { MetricMetadata } from './metadata/metric-metadata.ts'
