export { Catalog, type CatalogDeps, openCatalog } from './catalog.ts'
export type {
  CreatedComponent,
  CreationCheck,
  CreationRules,
  PreparedComponent,
  PreparedStream,
  WantedComponent,
  WantedStream,
} from './create/creation-plan.ts'
export type { TypeWish } from './documents/apply-type-wishes.ts'
export type { People } from './documents/catalog-base.ts'
export type { DeletedStream, StreamsDeletedListener } from './documents/documents.ts'
export { type ComponentEntry, StreamIndex } from './index/stream-index.ts'
export { streamPlaces } from './index/stream-places.ts'
export { type CycleBody, cycleShape } from './record/cycle-record.ts'
export { type DeleteProfileBody, deleteProfileShape } from './record/delete-profile.ts'
export { type FolderRecord, folderShape } from './record/folders.ts'
export type { Page, RecordList, Shown, SimpleRecords } from './record/simple-records.ts'
export { type TemplateBody, templateShape } from './record/template.ts'
export { BOOLEAN_STYLES, type BooleanStyle, type UnitBody, unitShape } from './record/unit.ts'
export {
  type ComponentBody,
  type ComponentInput,
  type ComponentRecord,
  componentShape,
} from './shape/component-shape.ts'
export { ROOT_FOLDER, readFolder } from './shape/folder-path.ts'
export { readGrid } from './shape/interval-grid.ts'
export {
  INTERVAL,
  POINT,
  RANDOM,
  STREAM_TYPES,
  type StreamKind,
  type StreamType,
} from './shape/stream-kind.ts'
export {
  type StreamBody,
  type StreamInput,
  type StreamRecord,
  streamShape,
} from './shape/stream-shape.ts'
export { VALUE_CODE, VALUE_TYPES, type ValueType, valueCodeOf } from './shape/value-type.ts'
