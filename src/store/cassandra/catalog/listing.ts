/** Lists and walks over the documents of a kind, by the tables that hold them in the order of their keys. */
import { refuse } from '../../../base/index.ts'
import {
  CatalogDamaged,
  type CatalogDocument,
  type ListQuery,
  type WalkQuery,
} from '../../catalog-port.ts'
import { endOfPrefix } from '../../end-of-prefix.ts'
import type { Cluster, CqlRow } from '../connection/cluster.ts'
import { type CatalogReader, documentOfRow } from './catalog-reader.ts'

/** Keys read at once when all of a list are counted. */
const KEYS_PER_PAGE = 5_000
/** Documents with their bodies read at once. */
const DOCUMENTS_PER_READ = 20

interface Listed {
  readonly listKey: string
  readonly uid: string
}

type Page = { documents: CatalogDocument[]; totalCount: number }

/** Reads lists. */
export class Listing {
  readonly #cluster: Cluster
  readonly #reader: CatalogReader

  constructor(cluster: Cluster, reader: CatalogReader) {
    this.#cluster = cluster
    this.#reader = reader
  }

  /** A page of a list, and how many there are in all. */
  async list(query: ListQuery): Promise<Page> {
    const { start, limit } = query
    const usage = await this.#reader.usageOfKind(query.orgUid, query.kind)
    if (usage === undefined || usage.documents === 0) return { documents: [], totalCount: 0 }
    // Who only counts asks for none, and a LIMIT of nothing is refused.
    if (limit === 0 && isOverAll(query)) return { documents: [], totalCount: usage.documents }
    const { keys, totalCount } = isOverAll(query)
      ? { keys: await this.#first(query, usage.shards), totalCount: usage.documents }
      : await this.#count(query, usage.shards)
    return { documents: await this.#documents(query, keys.slice(start, start + limit)), totalCount }
  }

  /** The next documents of a walk. */
  async walk(query: WalkQuery): Promise<{ documents: CatalogDocument[]; next?: string }> {
    const { orgUid, kind, after, limit, down } = query
    const usage = await this.#reader.usageOfKind(orgUid, kind)
    if (usage === undefined || usage.documents === 0) return { documents: [] }
    if (down !== undefined) return await this.#walkDown(query, down, usage.shards)
    const from = after === undefined ? [] : (JSON.parse(after) as string[])
    const behind = from.length === 0 ? '' : 'AND (list_key, uid) > (?, ?)'
    const cql = `SELECT list_key, uid FROM listing WHERE org = ? AND kind = ? AND shard IN ?
      ${behind} PER PARTITION LIMIT ?`
    const params = [orgUid, kind, shardsOf(usage.shards), ...from, limit]
    const rows = await this.#cluster.run(cql, params)
    return await this.#stepOf(query, rows.map(keyOf).sort(compareKeys))
  }

  async #walkDown(
    query: WalkQuery,
    { from, until }: NonNullable<WalkQuery['down']>,
    shards: number,
  ): Promise<{ documents: CatalogDocument[]; next?: string }> {
    const { orgUid, kind, after, limit } = query
    const before = after === undefined ? [until, ''] : (JSON.parse(after) as string[])
    const cql = `SELECT list_key, uid FROM listing WHERE org = ? AND kind = ? AND shard = ?
      AND (list_key, uid) >= (?, '') AND (list_key, uid) < (?, ?)
      ORDER BY list_key DESC, uid DESC LIMIT ?`
    const found = await this.#cluster.inParallel(shardsOf(shards), (shard) =>
      this.#cluster.run(cql, [orgUid, kind, shard, from, ...before, limit]),
    )
    return await this.#stepOf(query, found.flat().map(keyOf).sort(compareKeys).reverse())
  }

  /** The documents of the first keys, and where the walk goes on behind them. */
  async #stepOf(
    query: WalkQuery,
    ordered: readonly Listed[],
  ): Promise<{ documents: CatalogDocument[]; next?: string }> {
    const { limit } = query
    const keys = ordered.slice(0, limit)
    const documents = await this.#documents({ ...query, start: 0, leavesOutDamaged: true }, keys)
    const last = keys.at(-1)
    if (keys.length < limit || last === undefined) return { documents }
    return { documents, next: JSON.stringify([last.listKey, last.uid]) }
  }

  /** The first keys of the whole list, as many as the page needs. */
  async #first(query: ListQuery, shards: number): Promise<Listed[]> {
    const { orgUid, kind, start, limit, descending } = query
    const order = descending === true ? 'DESC' : 'ASC'
    const cql = `SELECT list_key, uid FROM listing WHERE org = ? AND kind = ? AND shard = ?
      ORDER BY list_key ${order}, uid ${order} LIMIT ?`
    const found = await this.#cluster.inParallel(shardsOf(shards), (shard) =>
      this.#cluster.run(cql, [orgUid, kind, shard, start + limit]),
    )
    return inOrder(found.flat().map(keyOf), query)
  }

  /** The keys of a page among those that a query chooses, and how many it chooses. */
  async #count(query: ListQuery, shards: number): Promise<{ keys: Listed[]; totalCount: number }> {
    const needed = query.start + query.limit
    const isChosen = chooserOf(query)
    let keys: Listed[] = []
    let totalCount = 0
    for await (const page of this.#rows(query, shards)) {
      const chosen = page.filter(isChosen).map(keyOf)
      totalCount += chosen.length
      keys.push(...chosen)
      // What comes behind the page in any case need not be held.
      if (keys.length > needed + 2 * KEYS_PER_PAGE) keys = inOrder(keys, query).slice(0, needed)
    }
    return { keys: inOrder(keys, query), totalCount }
  }

  async *#rows(query: ListQuery, shards: number): AsyncGenerator<readonly CqlRow[]> {
    const { orgUid, kind, parentUid = '', listKeyPrefix: prefix = '' } = query
    const end = endOfPrefix(prefix)
    const bounds = prefix === '' ? [] : end === undefined ? [prefix] : [prefix, end]
    const within = ['', 'AND list_key >= ?', 'AND list_key >= ? AND list_key < ?'][bounds.length]
    if (parentUid !== '') {
      const cql = `SELECT list_key, uid, parent, expires_at FROM child WHERE org = ? AND kind = ?
        AND parent = ? ${within}`
      yield* this.#cluster.pages(cql, [orgUid, kind, parentUid, ...bounds], KEYS_PER_PAGE)
      return
    }
    const cql = `SELECT list_key, uid, parent, expires_at FROM listing WHERE org = ? AND kind = ?
      AND shard = ? ${within}`
    for (const shard of shardsOf(shards)) {
      yield* this.#cluster.pages(cql, [orgUid, kind, shard, ...bounds], KEYS_PER_PAGE)
    }
  }

  async #documents(query: ListQuery, keys: readonly Listed[]): Promise<CatalogDocument[]> {
    const documents: CatalogDocument[] = []
    const { bytesMax = Number.POSITIVE_INFINITY } = query
    let bytes = 0
    for (let at = 0; at < keys.length; at += DOCUMENTS_PER_READ) {
      const uids = keys.slice(at, at + DOCUMENTS_PER_READ).map(({ uid }) => uid)
      const rows = await this.#reader.documents(query, uids)
      for (const uid of uids) {
        const row = rows.get(uid)
        // One that went between the two reads is not there.
        const document = row === undefined ? undefined : this.#documentOfRow(row, query)
        if (document === undefined) continue
        documents.push(document)
        bytes += Buffer.byteLength(row?.body as string)
        if (bytes > bytesMax && keys.length > 1) {
          const what = `This page takes more than ${bytesMax} bytes: ask for fewer with limit`
          refuse('bad_input', { what })
        }
      }
    }
    return documents
  }

  #documentOfRow(
    row: CqlRow,
    { leavesOutDamaged = false }: ListQuery,
  ): CatalogDocument | undefined {
    try {
      return documentOfRow(row)
    } catch (error) {
      if (leavesOutDamaged && error instanceof CatalogDamaged) return undefined
      throw error
    }
  }
}

function isOverAll(query: ListQuery): boolean {
  const { parentUid, listKeyPrefix = '', aliveAtMs, exceptUids = [] } = query
  return (
    parentUid === undefined &&
    listKeyPrefix === '' &&
    aliveAtMs === undefined &&
    exceptUids.length === 0
  )
}

function chooserOf({ parentUid, aliveAtMs, exceptUids }: ListQuery): (row: CqlRow) => boolean {
  const except = new Set(exceptUids)
  return (row) => {
    if (parentUid === '' && row.parent !== '') return false
    if (except.has(row.uid as string)) return false
    return aliveAtMs === undefined || row.expires_at === null || Number(row.expires_at) > aliveAtMs
  }
}

function shardsOf(count: number): number[] {
  return Array.from({ length: count }, (_, shard) => shard)
}

function keyOf(row: CqlRow): Listed {
  return { listKey: row.list_key as string, uid: row.uid as string }
}

function inOrder(keys: Listed[], { descending }: ListQuery): Listed[] {
  return keys.sort((a, b) => (descending === true ? compareKeys(b, a) : compareKeys(a, b)))
}

function compareKeys(a: Listed, b: Listed): number {
  return compareTexts(a.listKey, b.listKey) || compareTexts(a.uid, b.uid)
}

/** By the bytes of UTF-8, which is how the cluster orders texts. */
function compareTexts(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b))
}
