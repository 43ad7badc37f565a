import type { Static } from 'typebox'
import { Type } from '../../base/index.ts'
import {
  checkText,
  idShape,
  NAME_LENGTH_MAX,
  nameShape,
  revisionShape,
  shapeCheck,
} from '../shape/record-checks.ts'
import type { RecordRules } from './simple-records.ts'

/** The units in which an age is counted. */
const AGE_TYPES = ['MINUTE', 'HOUR', 'DAY', 'WEEK', 'MONTH', 'YEAR'] as const
type AgeType = (typeof AGE_TYPES)[number]

/** Older than any sample can be. */
const COUNT_MAX = 1_000_000_000

/** What a caller may say about a delete profile. */
export const deleteProfileShape = Type.Object({
  id: idShape('Unique in the organization, may be blank'),
  name: nameShape,
  sizeType: Type.Optional(Type.Enum([...AGE_TYPES])),
  count: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: COUNT_MAX,
      description: 'Samples older than this number of units are deleted in the background',
    }),
  ),
  revision: revisionShape,
})

/** A delete profile as the catalog keeps it: samples older than `count` of `sizeType` go. */
export type DeleteProfileBody = {
  readonly id: string
  readonly name: string
  readonly sizeType: AgeType
  readonly count: number
}

/** The rules of delete profiles. */
export const deleteProfileRules: RecordRules<DeleteProfileBody> = {
  kind: 'delete_profile',
  check: shapeCheck('delete_profile', deleteProfileShape),
  read: readDeleteProfile,
  defaults: { id: '', name: '', sizeType: 'YEAR', count: 1 },
}

function readDeleteProfile(
  input: Static<typeof deleteProfileShape>,
  before: DeleteProfileBody,
): DeleteProfileBody {
  const { id = before.id, sizeType = before.sizeType, count = before.count } = input
  const name = input.name ?? (before.name || id)
  checkText('delete_profile.name', name, NAME_LENGTH_MAX)
  return { id, name, sizeType, count }
}
