export { Catalog, type CatalogDeps, openCatalog } from './catalog.ts'
export type { People } from './catalog-base.ts'
export {
  type ComponentBody,
  type ComponentInput,
  type ComponentRecord,
  componentShape,
} from './component-shape.ts'
export type {
  CreatedComponent,
  CreationCheck,
  CreationRules,
  PreparedComponent,
  PreparedStream,
  WantedComponent,
  WantedStream,
} from './creation-plan.ts'
export { type CycleBody, cycleShape } from './cycle-record.ts'
export { type DeleteProfileBody, deleteProfileShape } from './delete-profile.ts'
export type { DeletedStream, StreamsDeletedListener } from './documents.ts'
export { ROOT_FOLDER, readFolder } from './folder-path.ts'
export { type FolderRecord, folderShape } from './folders.ts'
export { readGrid } from './interval-grid.ts'
export type { Page, RecordList, Shown, SimpleRecords } from './simple-records.ts'
export { type ComponentEntry, StreamIndex } from './stream-index.ts'
export {
  INTERVAL,
  POINT,
  RANDOM,
  STREAM_TYPES,
  type StreamKind,
  type StreamType,
} from './stream-kind.ts'
export { streamPlaces } from './stream-places.ts'
export {
  type StreamBody,
  type StreamInput,
  type StreamRecord,
  streamShape,
} from './stream-shape.ts'
export { type TemplateBody, templateShape } from './template.ts'
export { BOOLEAN_STYLES, type BooleanStyle, type UnitBody, unitShape } from './unit.ts'
export { VALUE_CODE, VALUE_TYPES, type ValueType, valueCodeOf } from './value-type.ts'
export type { TypeWish } from './value-types.ts'
