/** What the table of claims tells of families whose own rows do not check. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { familyHeadOf } from '../../../../base/plain.ts'
import { CatalogDamaged } from '../../../catalog-port.ts'
import { checkOfClaim, readChecked } from '../catalog-checks.ts'
import type { RollReader } from '../roll/roll-read-table.ts'
import type { PagePlace } from './family-page.ts'

/** What the claim of a component's ID begins with. */
const COMPONENT_ID = 'component_id:'
/** Families that are named one by one: each reads all claims, as no index leads from families to them. */
const NAMED_MAX = 100
/** Claims that are read of lost families together. */
const CLAIMS_MAX = 100_000
/** The random digits of the UIDs after the checksum, if the damage has left them. */
const TAIL = /^.{8}\["([0-9a-f]{10})"/

/** A claim that a family holds, as it is stored. */
interface FamilyClaim {
  readonly ref: number
  readonly scope: number
  readonly stored: string
  readonly crc: number
}

/** Finds the claims of families by their numbers; reads all claims, so only for what is damaged. */
export class FamilyNames {
  readonly #claims: StatementSync
  readonly #roll: RollReader
  readonly #known = new Map<number, readonly FamilyClaim[]>()

  constructor(db: DatabaseSync, roll: RollReader) {
    this.#roll = roll
    // Claims of streams that are stored as they are say nothing of the component.
    this.#claims = db.prepare(`SELECT -ref AS ref, scope, claim AS stored, crc FROM claim
      WHERE ref < 0 AND -ref IN (SELECT value FROM json_each(?))
      AND (claim LIKE '${COMPONENT_ID}%' OR claim LIKE '#%') LIMIT ${CLAIMS_MAX + 1}`)
  }

  /** The claims that may be those of the components of families; undefined when they are too many or cannot be read. */
  claimsOf(refs: readonly number[]): readonly FamilyClaim[] | undefined {
    try {
      const rows = readChecked('table claim', () => this.#claims.all(JSON.stringify(refs)))
      if (rows.length > CLAIMS_MAX) return undefined
      return [...(rows as unknown as readonly FamilyClaim[]), ...this.#rolledOf(refs)]
    } catch (error) {
      if (error instanceof CatalogDamaged) return undefined
      throw error
    }
  }

  #rolledOf(refs: readonly number[]): FamilyClaim[] {
    const wanted = new Set(refs)
    const found: FamilyClaim[] = []
    return readChecked('table roll', () => {
      for (const { ref, scope, claim } of this.#roll.heads()) {
        // The page as a whole checks, not the claim: it says nothing of the UID.
        if (wanted.has(ref)) found.push({ ref, scope, stored: claim, crc: -1 })
      }
      return found
    })
  }

  /** How a row that does not check is named to people: by ID and UID where claims tell them. */
  nameOf({ orgUid, ref, page }: PagePlace, packed: unknown): string {
    const claims = this.#known.get(ref) ?? this.#learn(ref)
    const named = claims.find(({ stored }) => stored.startsWith(COMPONENT_ID))
    const id = named && JSON.stringify(named.stored.slice(COMPONENT_ID.length))
    const tail = TAIL.exec(String(packed))?.[1]
    const uid = tail === undefined ? undefined : familyHeadOf(ref, tail)
    const key = uid === undefined ? undefined : { orgUid, kind: 'component', uid }
    const isHolder = key && claims.some(({ stored, crc }) => checkOfClaim(stored, key) === crc)
    const name = [id, isHolder ? uid : `number ${ref}`].filter((part) => part !== undefined)
    return `component ${name.join(', ')}, part ${page}, of organization ${orgUid}`
  }

  #learn(ref: number): readonly FamilyClaim[] {
    if (this.#known.size >= NAMED_MAX) return []
    const claims = this.claimsOf([ref]) ?? []
    this.#known.set(ref, claims)
    return claims
  }
}
