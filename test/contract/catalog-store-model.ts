import {
  CatalogConflict,
  type CatalogDocument,
  type CatalogWrite,
  type DocumentKey,
  type KindUsage,
  type ListQuery,
} from '../../src/store/index.ts'
import { putsOfFleet } from '../../src/store/puts-of-fleet.ts'

interface Kept {
  readonly document: Omit<CatalogDocument, 'handle'>
  readonly claims: ReadonlySet<string>
  readonly index: string | undefined
}

const keyText = ({ orgUid, kind, uid }: DocumentKey) => JSON.stringify([orgUid, kind, uid])

/** Of list key and JSON, with eight for a checksum. */
function bytesOf({ listKey, body }: Kept['document']): number {
  return Buffer.byteLength(listKey) + Buffer.byteLength(JSON.stringify(body)) + 8
}

/** Texts in the order of their UTF-8 bytes, which is how lists are ordered. */
export function compareUtf8(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

/** The catalog's promises in the plainest form: maps in memory, copied before each commit. */
export class CatalogStoreModel {
  kept = new Map<string, Kept>()

  commit(writes: readonly CatalogWrite[]): void {
    const before = this.kept
    this.kept = new Map(before)
    try {
      for (const write of writes) if (write.op !== 'expect') this.#letGoClaims(write)
      for (const write of writes) this.#write(write)
    } catch (error) {
      this.kept = before
      throw error
    }
  }

  list(query: ListQuery): { uids: string[]; totalCount: number } {
    const all = [...this.kept.values()]
      .map(({ document }) => document)
      .filter((one) => one.orgUid === query.orgUid && one.kind === query.kind)
      .filter((one) => query.parentUid === undefined || one.parentUid === query.parentUid)
      .filter((one) => one.listKey.startsWith(query.listKeyPrefix ?? ''))
      .filter((one) => query.exceptUids?.includes(one.uid) !== true)
      .filter((one) => (one.expiresAtMs ?? Infinity) > (query.aliveAtMs ?? -Infinity))
      .sort((a, b) => compareUtf8(a.listKey, b.listKey) || compareUtf8(a.uid, b.uid))
    if (query.descending === true) all.reverse()
    const uids = all.slice(query.start, query.start + query.limit).map(({ uid }) => uid)
    return { uids, totalCount: all.length }
  }

  /** What an organization has of every kind it has something of. */
  usage(orgUid: string): KindUsage[] {
    const kept = [...this.kept.values()].filter(({ document }) => document.orgUid === orgUid)
    const kinds = Map.groupBy(kept, ({ document }) => document.kind)
    return [...kinds].map(([kind, all]) => ({
      ...{ kind, documents: all.length },
      bytes: all.reduce((sum, { document }) => sum + bytesOf(document), 0),
    }))
  }

  holderOf(orgUid: string, claim: string): string | undefined {
    const found = [...this.kept.values()].find(
      ({ document, claims }) => document.orgUid === orgUid && claims.has(claim),
    )
    return found?.document.uid
  }

  #write(write: CatalogWrite): void {
    if (write.op === 'fleet') {
      for (const put of putsOfFleet(write)) this.#write(put)
      return
    }
    const { orgUid, kind, uid, expectedRevision } = write
    const old = this.kept.get(keyText(write))
    const revision = old?.document.revision ?? 0
    if (expectedRevision !== 'any' && expectedRevision !== revision) {
      throw new CatalogConflict({ orgUid, kind, uid }, undefined)
    }
    if (write.op === 'expect') {
      if (expectedRevision !== 'any' || old !== undefined) return
      throw new CatalogConflict({ orgUid, kind, uid }, undefined)
    }
    if (write.op === 'delete') {
      this.kept.delete(keyText(write))
      return
    }
    const document = {
      ...{ orgUid, kind, uid, body: write.body, revision: revision + 1 },
      ...{ parentUid: write.parentUid ?? '', listKey: write.listKey ?? '' },
      expiresAtMs: write.expiresAtMs,
    }
    this.#letGoClaims(write)
    const claims = new Set(write.claims)
    for (const claim of claims) {
      if (this.holderOf(orgUid, claim) !== undefined) throw new CatalogConflict(write, claim)
    }
    this.kept.set(keyText(write), { document, claims, index: write.index })
  }

  #letGoClaims(key: DocumentKey): void {
    const old = this.kept.get(keyText(key))
    if (old !== undefined) this.kept.set(keyText(key), { ...old, claims: new Set() })
  }
}
