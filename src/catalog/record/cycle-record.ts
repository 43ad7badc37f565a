import type { Static } from 'typebox'
import { Type } from '../../base/index.ts'
import {
  BUILT_IN_CYCLES,
  CUSTOM_INTERVALS_MAX,
  type CycleDefinition,
  checkCycle,
  SIZE_TYPES,
  type SizeType,
} from '../../time/index.ts'
import {
  checkText,
  idShape,
  NAME_LENGTH_MAX,
  nameShape,
  readTimeZoneField,
  revisionShape,
  shapeCheck,
} from '../shape/record-checks.ts'
import type { RecordRules } from './simple-records.ts'

/** What a caller may say about a cycle. */
export const cycleShape = Type.Object({
  id: idShape('Unique in the organization, may be blank'),
  name: nameShape,
  sizeType: Type.Optional(Type.Enum([...SIZE_TYPES])),
  count: Type.Optional(Type.Integer({ description: 'How many units a period lasts' })),
  referenceDate: Type.Optional(
    Type.String({ description: 'A local date-time at which one period starts' }),
  ),
  timeZoneId: Type.Optional(Type.String({ description: "Blank: the component's" })),
  intervals: Type.Optional(
    Type.Array(Type.Object({ from: Type.String(), until: Type.String() }), {
      maxItems: CUSTOM_INTERVALS_MAX,
      description: 'The periods of a CUSTOM cycle: local date-times, the end not included',
    }),
  ),
  revision: revisionShape,
})

/** A cycle as the catalog keeps it. */
export type CycleBody = {
  readonly id: string
  readonly name: string
  readonly sizeType: SizeType
  readonly count: number
  readonly referenceDate: string
  readonly timeZoneId: string
  readonly intervals: readonly { readonly from: string; readonly until: string }[]
}

/** The calendar rule of a cycle record. */
export function definitionOf(cycle: CycleBody): CycleDefinition {
  const { sizeType, count, referenceDate, timeZoneId, intervals } = cycle
  return { sizeType, count, referenceDate, timeZone: timeZoneId, intervals }
}

const defaults: CycleBody = {
  id: '',
  name: '',
  sizeType: 'DAY',
  count: 1,
  referenceDate: '2024-01-01T00:00:00',
  timeZoneId: '',
  intervals: [],
}

/** The UIDs of built-in cycles are the same in every installation. */
function builtInCycles(): Map<string, CycleBody> {
  const entries = [...BUILT_IN_CYCLES].map(([id, definition], index): [string, CycleBody] => {
    const { sizeType, count, referenceDate } = definition
    const number = String(index + 1).padStart(12, '0')
    const body = { ...defaults, id, name: id, sizeType, count, referenceDate }
    return [`00000000-0000-4000-8000-${number}`, body]
  })
  return new Map(entries)
}

/** The rules of cycles. */
export const cycleRules: RecordRules<CycleBody> = {
  kind: 'cycle',
  check: shapeCheck('cycle', cycleShape),
  read: readCycle,
  defaults,
  builtIns: builtInCycles(),
}

function readCycle(input: Static<typeof cycleShape>, before: CycleBody): CycleBody {
  const { revision: _, ...fields } = input
  const merged: CycleBody = {
    id: fields.id ?? before.id,
    name: fields.name ?? (before.name || (fields.id ?? before.id)),
    sizeType: fields.sizeType ?? before.sizeType,
    count: fields.count ?? before.count,
    referenceDate: fields.referenceDate ?? before.referenceDate,
    timeZoneId: fields.timeZoneId ?? before.timeZoneId,
    intervals: fields.intervals?.map(({ from, until }) => ({ from, until })) ?? before.intervals,
  }
  checkText('cycle.name', merged.name, NAME_LENGTH_MAX)
  const timeZoneId =
    merged.timeZoneId === '' ? '' : readTimeZoneField('cycle.timeZoneId', merged.timeZoneId)
  const body = { ...merged, timeZoneId }
  checkCycle(definitionOf(body))
  return body
}
