import { countedUidOf } from '../../src/base/index.ts'
import { bytesOfComponent, bytesOfStream } from '../../src/store/fields/counted-bytes.ts'
import {
  CatalogConflict,
  type CatalogRecord,
  type CatalogWrite,
  type ComponentFields,
  type ComponentList,
  type CreateComponents,
  type DocumentKey,
  type KindUsage,
  type Labels,
  type ListQuery,
  type StoredComponent,
  type StoredStream,
  type StreamFields,
} from '../../src/store/index.ts'

interface Kept {
  /** Handles of streams are left out. */
  readonly record: CatalogRecord
  readonly claims: ReadonlySet<string>
  /** When it was made, among all others. */
  readonly number: number
}

const keyText = ({ orgUid, kind, uid }: DocumentKey) => JSON.stringify([orgUid, kind, uid])

/** Of a document: list key and JSON, with eight for a checksum. */
function bytesOf(record: CatalogRecord): number {
  if ('componentUid' in record) return bytesOfStream(record)
  if ('folder' in record) return bytesOfComponent(record)
  return Buffer.byteLength(record.listKey) + Buffer.byteLength(JSON.stringify(record.body)) + 8
}

/** Texts in the order of their UTF-8 bytes, which is how lists are ordered. */
export function compareUtf8(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

const LISTED_NAME_LENGTH = 100

/** The catalog's promises in the plainest form: maps in memory, copied before each commit. */
export class CatalogStoreModel {
  kept = new Map<string, Kept>()
  #made = 0

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

  /** All records of a kind. */
  records<T extends CatalogRecord>(orgUid: string, kind: string): T[] {
    return [...this.kept.values()]
      .map(({ record }) => record as T)
      .filter((record) => record.orgUid === orgUid && record.kind === kind)
  }

  list(query: ListQuery): { uids: string[]; totalCount: number } {
    const all = [...this.kept.values()]
      .flatMap(({ record }) => ('listKey' in record ? [record] : []))
      .filter((one) => one.orgUid === query.orgUid && one.kind === query.kind)
      .filter((one) => query.parentUid === undefined || one.parentUid === query.parentUid)
      .filter((one) => one.listKey.startsWith(query.listKeyPrefix ?? ''))
      .filter((one) => query.exceptUids?.includes(one.uid) !== true)
      .filter((one) => (one.expiresAtMs ?? Infinity) > (query.aliveAtMs ?? -Infinity))
      .sort((a, b) => compareUtf8(a.listKey, b.listKey) || compareUtf8(a.uid, b.uid))
    if (query.descending === true) all.reverse()
    return pageOf(all, query)
  }

  listComponents(query: ComponentList): { uids: string[]; totalCount: number } {
    const { orgUid, folder = '', isDirect = false } = query
    const isInside = (one: StoredComponent) =>
      isDirect ? one.folder === folder : `${one.folder}/`.startsWith(`${folder}/`)
    const numberOf = (one: StoredComponent) => this.kept.get(keyText(one))?.number ?? 0
    const nameOf = ({ name }: StoredComponent) => [...name].slice(0, LISTED_NAME_LENGTH).join('')
    const all = this.records<StoredComponent>(orgUid, 'component')
      .filter(isInside)
      .filter((one) => query.exceptUids?.includes(one.uid) !== true)
      .sort(
        (a, b) =>
          compareUtf8(`${a.folder}/`, `${b.folder}/`) ||
          compareUtf8(nameOf(a), nameOf(b)) ||
          numberOf(a) - numberOf(b),
      )
    return pageOf(all, query)
  }

  /** The streams of a component in definition order. */
  streamsOf(orgUid: string, componentUid: string): StoredStream[] {
    return this.records<StoredStream>(orgUid, 'stream')
      .filter((stream) => stream.componentUid === componentUid)
      .sort((a, b) => a.order - b.order || compareUtf8(a.uid, b.uid))
  }

  /** What an organization has of every kind it has something of. */
  usage(orgUid: string): KindUsage[] {
    const records = [...this.kept.values()].map(({ record }) => record)
    const own = records.filter((record) => record.orgUid === orgUid)
    return [...Map.groupBy(own, ({ kind }) => kind)].map(([kind, all]) => {
      const bytes = all.reduce((sum, record) => sum + bytesOf(record), 0)
      return { kind, documents: all.length, bytes }
    })
  }

  holderOf(orgUid: string, claim: string): DocumentKey | undefined {
    const found = [...this.kept.values()].find(
      ({ record, claims }) => record.orgUid === orgUid && claims.has(claim),
    )
    return found?.record
  }

  #write(write: CatalogWrite): void {
    if (write.op === 'create') {
      this.#create(write)
      return
    }
    const { orgUid, kind, uid, expectedRevision } = write
    const key = { orgUid, kind, uid }
    const old = this.kept.get(keyText(key))
    const revision = old?.record.revision ?? 0
    if (expectedRevision !== 'any' && expectedRevision !== revision) refuse(key)
    if (write.op === 'expect') {
      if (expectedRevision === 'any' && old === undefined) refuse(key)
      return
    }
    if (write.op === 'delete') {
      if (kind === 'component' && this.streamsOf(orgUid, uid).length > 0) refuse(key)
      this.kept.delete(keyText(key))
      return
    }
    const next = write.revision ?? revision + 1
    if (write.op === 'put') {
      const { parentUid = '', listKey = '', expiresAtMs, body } = write
      const document = { ...key, parentUid, listKey, expiresAtMs, body, revision: next }
      this.#keep(document, write.claims ?? [])
    } else if (write.op === 'put_component') this.#keepComponent(key, write, next)
    else this.#keepStream(key, write, write.componentUid, next)
  }

  #create(create: CreateComponents): void {
    const { orgUid, uids, ids, names, addressedAs, common, streamCounts } = create
    let stream = 0
    for (const [at, uid] of uids.entries()) {
      const key = { orgUid, kind: 'component', uid }
      if (this.kept.has(keyText(key))) refuse(key)
      const own = {
        id: ids[at],
        name: names?.[at] ?? ids[at],
        addressedAs: addressedAs?.[at] ?? [],
      }
      this.#keepComponent(key, { ...common, ...own, lastOrdinal: 0 }, 1)
      for (let ordinal = 1; ordinal <= streamCounts[at]; ordinal++, stream++) {
        const { streamIds, streamNames, labels, series, definitions, definitionOf } = create
        const fields: StreamFields = {
          ...definitions[definitionOf[stream]],
          id: streamIds[stream],
          name: streamNames?.[stream] ?? streamIds[stream],
          order: ordinal - 1,
          labels: labels?.[stream],
          series: series?.[stream],
        }
        const streamKey = { orgUid, kind: 'stream', uid: countedUidOf(uid, ordinal) }
        this.#keepStream(streamKey, fields, uid, 1)
      }
    }
  }

  #keepComponent(key: DocumentKey, fields: ComponentFields, revision: number): void {
    const { id, name, folder, timeZone, createdAtMs, owner, lastOrdinal, addressedAs, more } =
      fields
    const own = { id, name, folder, timeZone, createdAtMs, owner, lastOrdinal, addressedAs, more }
    const ids = id === '' ? [] : [`component_id:${id}`]
    const claims = [...ids, ...addressedAs.map((address) => `addressed_as:${address}`)]
    this.#keep({ ...key, kind: 'component', revision, ...own }, claims)
  }

  #keepStream(
    key: DocumentKey,
    fields: StreamFields,
    componentUid: string,
    revision: number,
  ): void {
    const component = { orgUid: key.orgUid, kind: 'component', uid: componentUid }
    if (!this.kept.has(keyText(component))) refuse(component)
    const { id, name, order, streamKind, valueCode, isDerived, hasDeleteProfile, grid } = fields
    const { labels, series, more } = fields
    const definition = { streamKind, valueCode, isDerived, hasDeleteProfile, grid, more }
    const ids = id === '' ? [] : [`stream_id:${componentUid}:${id}`]
    const claims = series === undefined ? ids : [...ids, seriesClaim(series)]
    const record = {
      ...key,
      kind: 'stream',
      componentUid,
      revision,
      id,
      name,
      order,
      ...definition,
      ...(labels === undefined ? {} : { labels }),
      ...(series === undefined ? {} : { series }),
    }
    this.#keep(record as StoredStream, claims)
  }

  #keep(record: CatalogRecord, claims: readonly string[]): void {
    this.#letGoClaims(record)
    for (const claim of claims) {
      if (this.holderOf(record.orgUid, claim) !== undefined)
        throw new CatalogConflict(record, claim)
    }
    const number = this.kept.get(keyText(record))?.number ?? ++this.#made
    this.kept.set(keyText(record), { record, claims: new Set(claims), number })
  }

  #letGoClaims(key: DocumentKey): void {
    const old = this.kept.get(keyText(key))
    if (old !== undefined) this.kept.set(keyText(key), { ...old, claims: new Set() })
  }
}

/** The claim that stands for a series. */
export function seriesClaim(series: Labels): string {
  return `series:${JSON.stringify(Object.entries(series).sort(([a], [b]) => (a < b ? -1 : 1)))}`
}

function pageOf(
  all: readonly DocumentKey[],
  { start, limit }: { readonly start: number; readonly limit: number },
): { uids: string[]; totalCount: number } {
  const uids = all.slice(start, start + limit).map(({ uid }) => uid)
  return { uids, totalCount: all.length }
}

function refuse(key: DocumentKey): never {
  throw new CatalogConflict(key, undefined)
}
