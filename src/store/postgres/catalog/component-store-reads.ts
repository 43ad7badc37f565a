/** Reads components and streams. */
import { isUid, RecordBytes } from '../../../base/index.ts'
import { endOfPrefix } from '../../fields/end-of-prefix.ts'
import { storedClaim } from '../../fields/stored-claim.ts'
import { addressClaim, seriesClaim } from '../../fields/unique-texts.ts'
import type {
  ComponentList,
  ComponentReads,
  IndexReceiver,
  LabeledPage,
  LabeledWalk,
  Labels,
  StoredComponent,
  StoredStream,
} from '../../ports/component-port.ts'
import { LOOKBACK_FIELD } from '../../ports/component-port.ts'
import type { Database, SqlRow } from '../connection/database.ts'
import { toStored } from '../connection/stored-text.ts'
import { INDEXED_LENGTH, LISTED_FOLDER, LISTED_NAME_START } from '../schema/tables.ts'
import { COMPONENT_FIELDS, componentOf, STREAM_FIELDS, streamOf } from './catalog-rows.ts'
import type { CommittedChanges } from './committed-changes.ts'
import { scanIndex } from './scan-columns.ts'
import { SqlConditions } from './sql-conditions.ts'

const ORDER = `${LISTED_FOLDER}, ${LISTED_NAME_START}, number`

/** Behind which row a walk continues. */
type LabeledPlace = readonly [component: number, place: number, uid: string]
const NOTHING_BEFORE: LabeledPlace = [0, 0, '00000000-0000-0000-0000-000000000000']

export class ComponentStoreReads implements ComponentReads {
  readonly #database: Database
  readonly #log: CommittedChanges

  constructor(database: Database, log: CommittedChanges) {
    this.#database = database
    this.#log = log
  }

  async get(orgUid: string, uid: string): Promise<StoredComponent | undefined> {
    if (!isUid(uid)) return undefined
    return await this.#component('WHERE c.uid = $1 AND c.org = $2', [uid, toStored(orgUid)])
  }

  async getStream(orgUid: string, uid: string): Promise<StoredStream | undefined> {
    if (!isUid(uid)) return undefined
    return await this.#stream('WHERE s.uid = $1 AND c.org = $2', [uid, toStored(orgUid)])
  }

  async findById(orgUid: string, id: string): Promise<StoredComponent | undefined> {
    if (id === '') return undefined
    const where = 'WHERE c.org = $1 AND c.id = $2'
    return await this.#component(where, [toStored(orgUid), toStored(id)])
  }

  async findAddressed(
    orgUid: string,
    addresses: readonly string[],
  ): Promise<(StoredComponent | undefined)[]> {
    const sql = `SELECT ${COMPONENT_FIELDS}, k.claim FROM claim k
      JOIN component c ON c.uid = k.uid::uuid AND c.org = k.org
      WHERE k.org = $1 AND k.claim = ANY ($2::text[]) AND k.kind = 'component'`
    const found = await this.#findClaimed(sql, orgUid, addresses.map(addressClaim))
    return found.map((row) => row && componentOf(row))
  }

  async findSeries(
    orgUid: string,
    series: readonly Labels[],
  ): Promise<(StoredStream | undefined)[]> {
    const sql = `SELECT ${STREAM_FIELDS}, k.claim FROM claim k
      JOIN stream s ON s.uid = k.uid::uuid JOIN component c ON c.number = s.component AND c.org = k.org
      WHERE k.org = $1 AND k.claim = ANY ($2::text[]) AND k.kind = 'stream'`
    const found = await this.#findClaimed(sql, orgUid, series.map(seriesClaim))
    return found.map((row) => row && streamOf(row))
  }

  /** The row of each claim. The statement returns the claim in its last column. */
  async #findClaimed(
    sql: string,
    orgUid: string,
    claims: readonly string[],
  ): Promise<(SqlRow | undefined)[]> {
    const stored = claims.map(storedClaimOf)
    const rows = await this.#database.read(sql, [toStored(orgUid), stored])
    const rowOf = new Map(rows.map((row) => [row.at(-1), row]))
    return stored.map((claim) => rowOf.get(claim))
  }

  async streamsOf(
    orgUid: string,
    componentUid: string,
    { start, limit }: { readonly start: number; readonly limit: number },
  ): Promise<StoredStream[]> {
    if (!isUid(componentUid)) return []
    const rows = await this.#database.read(
      `SELECT ${STREAM_FIELDS} FROM component c JOIN stream s ON s.component = c.number
        WHERE c.uid = $1 AND c.org = $2 ORDER BY s.component, s.place, s.uid OFFSET $3 LIMIT $4`,
      [componentUid, toStored(orgUid), start, limit],
    )
    return rows.map(streamOf)
  }

  async walkLabeled({ orgUid, after, limit }: LabeledWalk): Promise<LabeledPage> {
    const [component, place, uid] =
      after === undefined ? NOTHING_BEFORE : (JSON.parse(after) as LabeledPlace)
    const rows = await this.#database.read(
      `SELECT ${STREAM_FIELDS}, s.component FROM component c JOIN stream s ON s.component = c.number
        WHERE c.org = $1 AND (s.component, s.place, s.uid) > ($2, $3, $4)
          AND (s.labels IS NOT NULL OR strpos(s.more::text, $5) > 0)
        ORDER BY s.component, s.place, s.uid LIMIT $6`,
      [toStored(orgUid), component, place, uid, `"${LOOKBACK_FIELD}"`, limit],
    )
    const streams = rows.map(streamOf)
    const last = streams.at(-1)
    if (last === undefined || rows.length < limit) return { streams }
    const next: LabeledPlace = [Number(rows.at(-1)?.at(-1)), last.order, last.uid]
    return { streams, next: JSON.stringify(next) }
  }

  async list(query: ComponentList): Promise<{ components: StoredComponent[]; totalCount: number }> {
    const where = conditionsOf(query)
    const counting = { text: where.text, params: [...where.params] }
    const page = `OFFSET ${where.param(query.start, 'bigint')} LIMIT ${where.param(query.limit, 'bigint')}`
    const isOverAll = query.folder === undefined && (query.exceptUids ?? []).length === 0
    const [{ rows }, counted] = await this.#database.withClient((client) =>
      Promise.all([
        client.run(
          `SELECT ${COMPONENT_FIELDS} FROM component c WHERE ${where.text} ORDER BY ${ORDER} ${page}`,
          where.params,
        ),
        isOverAll
          ? client.run(`SELECT documents FROM tally WHERE org = $1 AND kind = 'component'`, [
              toStored(query.orgUid),
            ])
          : client.run(`SELECT count(*) FROM component c WHERE ${counting.text}`, counting.params),
      ]),
    )
    const components = rows.map(componentOf)
    const count =
      query.bytesMax === undefined ? undefined : new RecordBytes('component', query.bytesMax)
    for (const component of components) count?.add(JSON.stringify(component))
    return { components, totalCount: Number(counted.rows[0]?.[0] ?? 0) }
  }

  async walk(query: {
    readonly orgUid: string
    readonly after?: string
    readonly limit: number
  }): Promise<{ components: StoredComponent[]; next?: string }> {
    const where = conditionsOf(query)
    if (query.after !== undefined) {
      const [folder, name, number] = JSON.parse(query.after) as [string, string, number]
      where.add(
        `(${ORDER}) > (${where.param(folder)}, ${where.param(name)}, ${where.param(number, 'bigint')})`,
      )
    }
    const rows = await this.#database.read(
      `SELECT ${COMPONENT_FIELDS}, ${ORDER} FROM component c WHERE ${where.text}
        ORDER BY ${ORDER} LIMIT ${where.param(query.limit, 'bigint')}`,
      where.params,
    )
    const components = rows.map(componentOf)
    const last = rows.at(-1)
    if (rows.length < query.limit || last === undefined) return { components }
    return { components, next: JSON.stringify(last.slice(-3)) }
  }

  async scan(receiver: IndexReceiver): Promise<{ cursor: number }> {
    // This runs first: a change during the scan may be reported twice, but never missed.
    const cursor = await this.#log.last()
    await scanIndex(this.#database, receiver)
    return { cursor }
  }

  async scanOrganization(orgUid: string, receiver: IndexReceiver): Promise<{ cursor: number }> {
    const cursor = await this.#log.last()
    await scanIndex(this.#database, receiver, toStored(orgUid))
    return { cursor }
  }

  async #component(
    where: string,
    params: readonly unknown[],
  ): Promise<StoredComponent | undefined> {
    const sql = `SELECT ${COMPONENT_FIELDS} FROM component c ${where}`
    const [row] = await this.#database.read(sql, params)
    return row === undefined ? undefined : componentOf(row)
  }

  async #stream(where: string, params: readonly unknown[]): Promise<StoredStream | undefined> {
    const sql = `SELECT ${STREAM_FIELDS} FROM stream s JOIN component c ON c.number = s.component ${where}`
    const [row] = await this.#database.read(sql, params)
    return row === undefined ? undefined : streamOf(row)
  }
}

function storedClaimOf(claim: string): string {
  return toStored(storedClaim(claim))
}

function conditionsOf(query: Pick<ComponentList, 'orgUid' | 'folder' | 'isDirect' | 'exceptUids'>) {
  const { orgUid, folder, isDirect = false, exceptUids = [] } = query
  const where = new SqlConditions()
  where.add(`c.org = ${where.param(toStored(orgUid))}`)
  if (folder !== undefined) {
    const path = toStored(`${folder}/`)
    const listed = `left(${where.param(path)}, ${INDEXED_LENGTH})`
    if (isDirect) {
      where.add(`${LISTED_FOLDER} = ${listed} AND c.folder = ${where.param(toStored(folder))}`)
    } else {
      const end = endOfPrefix(path)
      where.add(
        `${LISTED_FOLDER} >= ${listed} AND starts_with(c.folder || '/', ${where.param(path)})`,
      )
      if (end !== undefined) {
        where.add(`${LISTED_FOLDER} <= left(${where.param(end)}, ${INDEXED_LENGTH})`)
      }
    }
  }
  if (exceptUids.length > 0) {
    where.add(`c.uid <> ALL (${where.param(exceptUids.filter(isUid), 'uuid[]')})`)
  }
  return where
}
