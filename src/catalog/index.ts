export { Catalog, openCatalog } from './catalog.ts'
export type {
  CreatedComponent,
  CreationRules,
  PreparedComponent,
  PreparedStream,
  WantedComponent,
  WantedStream,
} from './create/creation-plan.ts'
export { resultType } from './derived/result-type.ts'
export { readingOf } from './derived/variable-reading.ts'
export type { TypeWish } from './documents/apply-type-wishes.ts'
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
export { cyclePreviewShape } from './record/cycle-preview.ts'
export { cycleShape } from './record/cycle-record.ts'
export { exportShape, mapShape } from './record/dashboard-transfer.ts'
export { deleteProfileShape } from './record/delete-profile.ts'
export { expressionCheckShape } from './record/expression-check.ts'
export { folderShape } from './record/folders.ts'
export { queryShape } from './record/query-record.ts'
export { SEARCH_LENGTH_MAX } from './record/search-components.ts'
export type { Page, RecordList, RecordRules, SimpleRecords } from './record/simple-records.ts'
export { refuseUnknown } from './record/simple-records.ts'
export { planStarterUnits } from './record/starter-units.ts'
export { templateShape } from './record/template.ts'
export { unitShape } from './record/unit.ts'
export { type ComponentRecord, componentShape } from './shape/component-shape.ts'
export { dashboardShape, PANEL_KINDS, QUERY_VIEWS } from './shape/dashboard-shape.ts'
export { cycleOfGrid } from './shape/grid-cycle.ts'
export { readGrid } from './shape/interval-grid.ts'
export {
  checkText,
  DESCRIPTION_LENGTH_MAX,
  descriptionShape,
  idShape,
  NAME_LENGTH_MAX,
  nameShape,
  readTimeZoneField,
  referenceShape,
  refuseField,
  revisionShape,
  shapeCheck,
} from './shape/record-checks.ts'
export { STATISTIC_IDS, type StatisticId } from './shape/statistic-ids.ts'
export {
  INTERVAL,
  POINT,
  RANDOM,
  STREAM_TYPES,
  type StreamKind,
  type StreamType,
} from './shape/stream-kind.ts'
export { type StreamInput, type StreamRecord, streamShape } from './shape/stream-shape.ts'
export { VALUE_CODE, VALUE_TYPES, type ValueType } from './shape/value-type.ts'
