import {
  familyNumberOf,
  familyTailOf,
  headUidOf,
  isFamilyForm,
  ordinalOf,
} from '../../../../base/plain.ts'
import type { DocumentKey } from '../../../catalog-port.ts'
import { localClaimsOf } from './shape.ts'

/** Members of one row; who adds one writes those of its row again. */
const ORDINALS_PER_PAGE = 128

/** Where a head or member stands. */
export interface FamilyPlace {
  /** The number of the family. */
  readonly ref: number
  readonly headUid: string
  readonly tail: string
  /** 0 for the head. */
  readonly ordinal: number
}

/** The place of a document in a family, undefined when its UID tells none. */
export function familyPlaceOf({
  kind,
  uid,
}: Pick<DocumentKey, 'kind' | 'uid'>): FamilyPlace | undefined {
  const isHead = kind === 'component'
  if ((!isHead && kind !== 'stream') || !isFamilyForm(uid)) return undefined
  const ordinal = ordinalOf(uid)
  if (isHead !== (ordinal === 0)) return undefined
  const ref = familyNumberOf(uid)
  if (ref === undefined) return undefined
  const headUid = isHead ? uid : headUidOf(uid)
  return { ref, headUid, tail: familyTailOf(uid), ordinal }
}

/** The row of a family that holds an ordinal. */
export function pageOf(ordinal: number): number {
  return Math.floor(ordinal / ORDINALS_PER_PAGE)
}

const LOCAL_START = localClaimsOf('').slice(0, -1)
const UID_LENGTH = 36

/** The family that a claim belongs into, and the claim without its UID; undefined for a claim of the organization. */
export function localPlaceOf(claim: string): { place: FamilyPlace; local: string } | undefined {
  if (!claim.startsWith(LOCAL_START)) return undefined
  const end = LOCAL_START.length + UID_LENGTH
  if (claim[end] !== ':') return undefined
  const uid = claim.slice(LOCAL_START.length, end)
  const place = familyPlaceOf({ kind: 'component', uid })
  return place === undefined ? undefined : { place, local: claim.slice(end + 1) }
}
