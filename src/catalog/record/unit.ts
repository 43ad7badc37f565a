import type { Static } from 'typebox'
import { Type } from '../../base/index.ts'
import {
  checkText,
  idShape,
  NAME_LENGTH_MAX,
  nameShape,
  refuseField,
  revisionShape,
  shapeCheck,
} from '../shape/record-checks.ts'
import type { RecordRules } from './simple-records.ts'

const BOOLEAN_STYLES = [
  ...(['TRUE_FALSE', 'ONE_ZERO', 'ON_OFF', 'YES_NO'] as const),
  ...(['CLOSE_OPEN', 'OPEN_CLOSE', 'HIGH_LOW', 'LOW_HIGH'] as const),
] as const
type BooleanStyle = (typeof BOOLEAN_STYLES)[number]

const SYMBOL_LENGTH_MAX = 64
const NUMBER_FORMAT = /^[0#,]*[0#](?:\.[0#]{1,20})?$/

/** What a caller may say about a unit. */
export const unitShape = Type.Object({
  id: idShape('Unique in the organization, may be blank'),
  name: nameShape,
  symbol: Type.Optional(
    Type.String({
      maxLength: SYMBOL_LENGTH_MAX,
      description: 'Glued to the value without a space',
    }),
  ),
  symbolLocation: Type.Optional(Type.Enum(['BEFORE', 'AFTER'])),
  numberFormat: Type.Optional(
    Type.String({ description: 'Such as 0,000.00: grouping and two decimals; blank: as it is' }),
  ),
  booleanStyle: Type.Optional(Type.Enum([...BOOLEAN_STYLES])),
  revision: revisionShape,
})

/** A unit as the catalog keeps it. */
export type UnitBody = {
  readonly id: string
  readonly name: string
  readonly symbol: string
  readonly symbolLocation: 'BEFORE' | 'AFTER'
  readonly numberFormat: string
  readonly booleanStyle: BooleanStyle
}

const defaults: UnitBody = {
  id: '',
  name: '',
  symbol: '',
  symbolLocation: 'AFTER',
  numberFormat: '',
  booleanStyle: 'TRUE_FALSE',
}

/** The rules of units. */
export const unitRules: RecordRules<UnitBody> = {
  kind: 'unit',
  check: shapeCheck('unit', unitShape),
  read: readUnit,
  defaults,
}

function readUnit(input: Static<typeof unitShape>, before: UnitBody): UnitBody {
  const { id = before.id, symbol = before.symbol } = input
  const { numberFormat = before.numberFormat } = input
  const name = input.name ?? (before.name || id)
  checkText('unit.name', name, NAME_LENGTH_MAX)
  checkText('unit.symbol', symbol, SYMBOL_LENGTH_MAX)
  if (numberFormat !== '' && !NUMBER_FORMAT.test(numberFormat)) {
    const shown = numberFormat.slice(0, 40)
    refuseField(
      'unit.numberFormat',
      `"${shown}" is not a number format. Write it like 0,000.00 or 0.0`,
    )
  }
  const { symbolLocation = before.symbolLocation, booleanStyle = before.booleanStyle } = input
  return { id, name, symbol, symbolLocation, numberFormat, booleanStyle }
}
