import { type Principal, requirePermit } from '../access/index.ts'
import { EARLIEST_TIME, type EpochMs, epochMs, refuse, TIME_END, Type } from '../base/index.ts'
import type { Catalog } from '../catalog/index.ts'
import { shapeCheck, VALUE_TYPES, type ValueType } from '../catalog/shape/index.ts'
import { baseCycleOf, canonicalDecimal, endsOf, numberRuleOf } from '../feed/index.ts'
import type { StreamHandle } from '../store/index.ts'
import { parseTime, timeRuleFor } from '../time/index.ts'
import { CORRECTION_ACTIONS, type CorrectionAction, type CorrectionRule } from './correction.ts'

/** Longer texts belong into files, not into corrections. */
const TEXT_LENGTH_MAX = 10_000

/** What a caller asks for. */
export const correctionShape = Type.Object(
  {
    action: Type.Enum([...CORRECTION_ACTIONS], {
      description: 'delete, set (to value), offset (add value), or scale (multiply by value)',
    }),
    value: Type.Optional(
      Type.Union([Type.Number(), Type.String(), Type.Boolean()], {
        description: 'Of set, offset, and scale',
      }),
    ),
    from: Type.Union([Type.Integer(), Type.String()], {
      description: 'Start: epoch milliseconds or RFC 3339',
    }),
    until: Type.Union([Type.Integer(), Type.String()], {
      description: 'End (exclusive): epoch milliseconds or RFC 3339',
    }),
  },
  {
    title: 'CorrectionInput',
    examples: [{ action: 'offset', value: -0.5, from: 1767225600000, until: 1767312000000 }],
  },
)
const checkShape = shapeCheck('correction', correctionShape)

/** A correction that can be made, if its values fit. */
export interface AskedCorrection {
  readonly handle: StreamHandle
  readonly rule: CorrectionRule
  readonly valueType: ValueType
  /** Of the samples; those of an interval stream are at the ends of their intervals. */
  readonly from: EpochMs
  readonly until: EpochMs
}

/** Where a correction is asked for. */
export interface CorrectedStream {
  readonly componentUid: string
  readonly uid: string
}

/** The stream of a path, which the caller may use a method on. */
export function findStream(
  { index }: Pick<Catalog, 'index'>,
  principal: Principal,
  { componentUid, uid }: CorrectedStream,
  method: 'GET' | 'POST',
): StreamHandle {
  requirePermit(principal, `component/${componentUid}/stream/${uid}/feed`, method)
  const handle = index.streamByUid(principal.orgUid, uid)
  if (handle !== 0 && index.componentOf(handle).uid === componentUid) return handle
  return refuse('not_found', { what: `Cannot find stream "${uid.slice(0, 60)}"` })
}

/** Reads what is asked for; refuses what the stream cannot hold. */
export function readCorrection(
  { index }: Pick<Catalog, 'index'>,
  handle: StreamHandle,
  input: unknown,
): AskedCorrection {
  checkShape(input)
  const { action, value, from, until } = input as {
    readonly action: CorrectionAction
    readonly value?: number | string | boolean
    readonly from: number | string
    readonly until: number | string
  }
  const asked = { from: readTime('from', from), until: readTime('until', until) }
  if (asked.from >= asked.until) {
    refuse('bad_input', { what: 'correction.from must be before until', field: 'correction.until' })
  }
  const cycle = baseCycleOf(index, handle)
  const ends = cycle === undefined ? asked : endsOf(cycle, asked)
  const valueType = VALUE_TYPES[index.valueCodeOf(handle)]
  if (action !== 'delete' && index.isDerived(handle)) {
    const what = 'cannot change results of a formula. Correct the sources, or change the formula'
    refuseValue('action', what)
  }
  return {
    handle,
    valueType,
    rule: { action, value: action === 'delete' ? 0 : readValue(action, value, valueType) },
    from: epochMs(Math.max(ends.from, EARLIEST_TIME)),
    until: epochMs(Math.min(ends.until, TIME_END)),
  }
}

function readTime(name: string, given: number | string): EpochMs {
  const time = typeof given === 'string' ? parseTime(given) : given
  if (time === undefined || !Number.isSafeInteger(time)) {
    const text = typeof given === 'string' ? given : ''
    return refuse('bad_input', {
      what: `correction.${name} ${timeRuleFor(text)}`,
      field: `correction.${name}`,
    })
  }
  return epochMs(Math.min(Math.max(time, EARLIEST_TIME), TIME_END))
}

function refuseValue(field: 'action' | 'value', what: string): never {
  return refuse('bad_input', { what: `correction.${field} ${what}`, field: `correction.${field}` })
}

function readValue(
  action: CorrectionAction,
  value: number | string | boolean | undefined,
  type: ValueType,
): number | string {
  if (value === undefined) return refuseValue('value', `is missing. Add it for ${action}`)
  if (type === 'FILE') return refuseValue('action', 'must be delete for a stream of files')
  if (type === 'STRING' || type === 'BOOLEAN' || type === 'BIG_DECIMAL') {
    if (action !== 'set') {
      return refuseValue('action', `must be delete or set for a stream of type ${type}`)
    }
    return readOther(value, type)
  }
  if (typeof value !== 'number') return refuseValue('value', 'must be a number')
  const { isWhole } = numberRuleOf(type)
  if (isWhole && !Number.isInteger(value)) {
    return refuseValue('value', `must be an integer for a stream of type ${type}`)
  }
  if (action === 'set') requireFit(type, value)
  return value
}

function readOther(value: number | string | boolean, type: ValueType): number | string {
  if (type === 'BOOLEAN') {
    if (typeof value === 'boolean') return value ? 1 : 0
    return refuseValue('value', 'must be true or false for a stream of type BOOLEAN')
  }
  if (typeof value !== 'string') {
    return refuseValue('value', `must be a text for a stream of type ${type}`)
  }
  if (type === 'STRING') {
    if (value.length <= TEXT_LENGTH_MAX && value.isWellFormed()) return value
    return refuseValue('value', `must have at most ${TEXT_LENGTH_MAX} characters of Unicode`)
  }
  return canonicalText(value)
}

function canonicalText(value: string): string {
  const canonical = canonicalDecimal(value)
  return canonical ?? refuseValue('value', 'must be a decimal number such as "12.50"')
}

/** Refuses a number that streams of a type cannot hold. */
export function requireFit(type: ValueType, value: number): void {
  const { min, max, words } = numberRuleOf(type)
  if (value >= min && value <= max) return
  refuseValue('value', `gives ${value}: samples must be ${words} in a stream of type ${type}`)
}
