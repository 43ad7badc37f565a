/**
 * What writers of Prometheus say of metrics: type, help, and unit of each metric name. A few documents per organization
 * hold all names, because senders repeat everything each minute and change nearly nothing.
 */
import { crc32 } from 'node:zlib'
import { allowsEveryFeed, type Principal } from '../../access/index.ts'
import { BoundedCache, type Clock } from '../../base/index.ts'
import type { CatalogDocument, CatalogWrite, JsonObject } from '../../store/index.ts'
import type { Documents } from '../documents/documents.ts'
import { retryConflicts } from '../documents/retry-conflicts.ts'

/** What is said of a metric. */
export interface MetricMetadata {
  readonly name: string
  /** Such as `counter`; `unknown` if it was not said. */
  readonly type: string
  readonly help: string
  readonly unit: string
}

const KIND = 'metric_metadata'

/** Names per organization, and the characters of all their metadata. More is not kept. */
const NAMES_MAX = 20_000
const CHARACTERS_MAX = 8_000_000

/** Documents per organization: a change rewrites one, of a few hundred names. */
const SHARDS = 64

/** What is kept of texts, in characters. */
const NAME_LENGTH_MAX = 200
const HELP_LENGTH_MAX = 1_000
const UNIT_LENGTH_MAX = 100

/** Different metadata of one name, such as that of two versions of an exporter. */
const VARIANTS_MAX = 4

/** Metadata that was not sent for so long makes room for another of its name. */
const UNSENT_MS_MAX = 60 * 60_000

/** Organizations whose metadata is in memory: some megabytes each at most. */
const ORGANIZATIONS_MAX = 32

/** One row of a document: name, type, help, unit. */
type Row = readonly [name: string, type: string, help: string, unit: string]

/** Metadata in memory, and when it was last sent to this process. */
interface Variant {
  readonly row: Row
  sentAtMs: number
}

interface Shard {
  readonly revision: number
  /** Characters of all rows. */
  readonly characters: number
  readonly names: Map<string, Variant[]>
}

/** The shards of an organization. */
type Shards = readonly Shard[]

interface Deps {
  readonly documents: Documents
  readonly clock: Clock
}

/** Keeps the metadata of metrics. */
export class MetricMetadataBook {
  readonly #deps: Deps
  readonly #organizations = new BoundedCache<string, Shards>(ORGANIZATIONS_MAX)

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /**
   * Keeps what a caller says of metrics; durable when it resolves. It commits only when something is new. Callers who may
   * not put to every stream say nothing of the metrics of the organization.
   */
  async learn(principal: Principal, said: readonly MetricMetadata[]): Promise<void> {
    if (said.length === 0 || !allowsEveryFeed(principal, 'PUT')) return
    const { orgUid } = principal
    const rows = said.flatMap(rowOf)
    const known = this.#organizations.get(orgUid) ?? (await this.#read(orgUid))
    if (this.#changesOf(known, rows).size === 0) return
    await retryConflicts(this.#deps.documents, async () => {
      const fresh = await this.#read(orgUid)
      const changed = this.#changesOf(fresh, rows)
      if (changed.size > 0) await this.#commit(orgUid, fresh, changed)
    })
  }

  /** All metadata of an organization, by name. Does not check permissions. */
  async list(orgUid: string): Promise<readonly MetricMetadata[]> {
    const shards = await this.#read(orgUid)
    const all = shards.flatMap(({ names }) => [...names.values()].flat())
    return all
      .map(({ row: [name, type, help, unit] }) => ({ name, type, help, unit }))
      .sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)))
  }

  /** The shards as the catalog has them; what is in memory of those that did not change is kept. */
  async #read(orgUid: string): Promise<Shards> {
    const { documents } = this.#deps
    const query = { orgUid, kind: KIND, start: 0, limit: SHARDS }
    const found = await documents.list(query)
    const byUid = new Map(found.documents.map((document) => [document.uid, document]))
    const before = this.#organizations.get(orgUid)
    const shards = Array.from({ length: SHARDS }, (_, at) => {
      return this.#shardOf(byUid.get(String(at)), before?.[at])
    })
    this.#organizations.set(orgUid, shards)
    return shards
  }

  #shardOf(document: CatalogDocument | undefined, before: Shard | undefined): Shard {
    const revision = document?.revision ?? 0
    if (before?.revision === revision) return before
    const names = new Map<string, Variant[]>()
    let characters = 0
    const sentAtMs = this.#deps.clock.elapsed()
    for (const row of (document?.body.metrics ?? []) as unknown as readonly Row[]) {
      const known = before?.names.get(row[0])?.find((one) => isSame(one.row, row))
      const variants = names.getOrInsertComputed(row[0], () => [])
      variants.push(known ?? { row, sentAtMs })
      characters += charactersOf(row)
    }
    return { revision, characters, names }
  }

  /** The shards with what is new among rows; notes what was sent again. */
  #changesOf(shards: Shards, rows: readonly Row[]): Map<number, Shard> {
    const changed = new Map<number, Shard>()
    const nowMs = this.#deps.clock.elapsed()
    let [count, total] = [0, 0]
    for (const { names, characters } of shards) {
      count += names.size
      total += characters
    }
    for (const row of rows) {
      const [name] = row
      const at = shardOfName(name)
      const shard = changed.get(at) ?? shards[at]
      const variants = shard.names.get(name) ?? []
      const known = variants.find((one) => isSame(one.row, row))
      if (known !== undefined) {
        known.sentAtMs = nowMs
        continue
      }
      const isFull = total >= CHARACTERS_MAX || (variants.length === 0 && count >= NAMES_MAX)
      if (isFull) continue
      const kept = withRoom(variants, nowMs)
      if (kept === undefined) continue
      if (variants.length === 0) count += 1
      total += charactersOf(row)
      const names = changed.has(at) ? shard.names : new Map(shard.names)
      names.set(name, [...kept, { row, sentAtMs: nowMs }])
      changed.set(at, { ...shard, names, characters: shard.characters + charactersOf(row) })
    }
    return changed
  }

  async #commit(orgUid: string, fresh: Shards, changed: Map<number, Shard>): Promise<void> {
    const writes = Array.from(changed, ([at, { revision, names }]): CatalogWrite => {
      const rows = [...names.values()].flat().map(({ row }) => [...row])
      const body: JsonObject = { metrics: rows }
      const key = { orgUid, kind: KIND, uid: String(at) }
      return { op: 'put', ...key, expectedRevision: revision, body }
    })
    await this.#deps.documents.commit(writes, [])
    const shards = fresh.map((shard, at) => {
      const now = changed.get(at)
      return now === undefined ? shard : { ...now, revision: shard.revision + 1 }
    })
    this.#organizations.set(orgUid, shards)
  }
}

/** The metadata as it is kept; none of a metric whose name is too long. */
function rowOf({ name, type, help, unit }: MetricMetadata): Row[] {
  if (name === '' || name.length > NAME_LENGTH_MAX) return []
  const cut = (text: string, length: number) => text.slice(0, length).toWellFormed()
  return [[name, type, cut(help, HELP_LENGTH_MAX), cut(unit, UNIT_LENGTH_MAX)]]
}

function charactersOf(row: Row): number {
  return row[0].length + row[1].length + row[2].length + row[3].length
}

function isSame(a: Row, b: Row): boolean {
  return a[1] === b[1] && a[2] === b[2] && a[3] === b[3]
}

/** Metadata of a name with room for another; undefined where each was sent not long ago. */
function withRoom(variants: readonly Variant[], nowMs: number): readonly Variant[] | undefined {
  if (variants.length < VARIANTS_MAX) return variants
  const oldest = Math.min(...variants.map(({ sentAtMs }) => sentAtMs))
  if (nowMs - oldest < UNSENT_MS_MAX) return undefined
  return variants.filter(({ sentAtMs }) => sentAtMs !== oldest)
}

function shardOfName(name: string): number {
  return crc32(name) % SHARDS
}
