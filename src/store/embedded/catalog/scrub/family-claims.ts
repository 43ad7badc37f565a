import type { DocumentKey } from '../../../catalog-port.ts'
import { storedClaim } from '../../../stored-claim.ts'
import { checkOfClaim } from '../catalog-checks.ts'
import { documentsOf, type WalkedPage } from '../family/family-walk-table.ts'

/** Claims of families that are remembered, some hundred bytes each; beyond, those asked for longest ago go. */
const CLAIMS_MAX = 50_000

/** What was read of a family so far. */
interface ReadFamily {
  readonly pages: Iterator<WalkedPage>
  readonly holders: Map<string, DocumentKey>
  /** The step in which it was begun to be read. */
  readonly step: number
  /** Why no more of it can be read. */
  failure?: unknown
}

/**
 * Finds who holds a claim in a family, page by page as far as needed. Claims of a family mostly follow each other: what
 * was read for one serves the others, so that the claims of a family cost one reading of it and not one each.
 */
export class FamilyClaims {
  readonly #pagesOf: (ref: number) => Iterable<WalkedPage>
  readonly #families = new Map<number, ReadFamily>()
  #claims = 0
  #step = 0

  constructor(pagesOf: (ref: number) => Iterable<WalkedPage>) {
    this.#pagesOf = pagesOf
  }

  /** Says that the file may have been written since: what does not fit is read anew, once in each step. */
  beginStep(): void {
    this.#step += 1
  }

  /** Whether a member of a family holds a claim, and the checksum is that of the two. */
  isHeld(ref: number, claim: { readonly stored: string; readonly crc: unknown }): boolean {
    const known = this.#families.get(ref)
    if (known !== undefined && fits(claim, this.#find(ref, known, claim.stored))) return true
    if (known?.step === this.#step) return false
    return fits(claim, this.#find(ref, this.#begin(ref), claim.stored))
  }

  #begin(ref: number): ReadFamily {
    this.#drop(ref)
    for (const oldest of this.#families.keys()) {
      if (this.#claims <= CLAIMS_MAX) break
      this.#drop(oldest)
    }
    const pages = this.#pagesOf(ref)[Symbol.iterator]()
    const family: ReadFamily = { pages, holders: new Map(), step: this.#step }
    this.#families.set(ref, family)
    return family
  }

  #drop(ref: number): void {
    this.#claims -= this.#families.get(ref)?.holders.size ?? 0
    this.#families.delete(ref)
  }

  #find(ref: number, family: ReadFamily, stored: string): DocumentKey | undefined {
    // Those that are asked for stay.
    this.#families.delete(ref)
    this.#families.set(ref, family)
    for (;;) {
      const holder = family.holders.get(stored)
      if (holder !== undefined) return holder
      const page = nextPage(family)
      if (page === undefined) return undefined
      this.#claims -= family.holders.size
      addHolders(family.holders, page)
      this.#claims += family.holders.size
    }
  }
}

/** Undefined at the end; what cannot be read is told of every claim that is looked for in it. */
function nextPage(family: ReadFamily): WalkedPage | undefined {
  if (family.failure !== undefined) throw family.failure
  try {
    const next = family.pages.next()
    return next.done === true ? undefined : next.value
  } catch (error) {
    family.failure = error
    throw error
  }
}

function fits(
  claim: { readonly stored: string; readonly crc: unknown },
  holder: DocumentKey | undefined,
): boolean {
  return holder !== undefined && checkOfClaim(claim.stored, holder) === claim.crc
}

function addHolders(holders: Map<string, DocumentKey>, page: WalkedPage): void {
  const { orgUid, headUid } = page
  for (const { kind, uid, document } of documentsOf(page)) {
    const { shape, id } = document
    // Those of the first row that need be unique in it only are in no table.
    const claims =
      page.page === 0 ? shape.shape.wideClaimsOf(id) : shape.shape.claimsOf(id, headUid)
    for (const claim of claims) holders.set(storedClaim(claim), { orgUid, kind, uid })
  }
}
