export { type ComponentRecord, componentShape } from './component-shape.ts'
export {
  ALERT_PANEL_STATES,
  dashboardShape,
  PANEL_KINDS,
  QUERY_VIEWS,
  THRESHOLD_COLORS,
} from './dashboard-shape.ts'
export { expressionTypeOf } from './expression-type.ts'
export { readFolder, storedFolder } from './folder-path.ts'
export { cycleOfGrid } from './grid-cycle.ts'
export { readGrid } from './interval-grid.ts'
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
} from './record-checks.ts'
export { STATISTIC_IDS, type StatisticId } from './statistic-ids.ts'
export {
  INTERVAL,
  POINT,
  RANDOM,
  STREAM_TYPES,
  type StreamKind,
  type StreamType,
} from './stream-kind.ts'
export { type StreamInput, type StreamRecord, streamShape } from './stream-shape.ts'
export { holdsValuesOf, VALUE_CODE, VALUE_TYPES, type ValueType } from './value-type.ts'
