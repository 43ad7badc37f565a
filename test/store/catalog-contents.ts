/** A catalog with something of everything, and what each read of it must answer, for tests that damage its file. */
import assert from 'node:assert/strict'
import { countedUidOf, newComponentUid, newUid, showUid, UID_WORDS } from '../../src/base/index.ts'
import { CatalogReadTable } from '../../src/store/embedded/catalog/catalog-read-table.ts'
import { EmbeddedComponents } from '../../src/store/embedded/catalog/component/component-reads.ts'
import { FolderDamaged, openCatalogStore } from '../../src/store/embedded/index.ts'
import {
  type CatalogChange,
  CatalogDamaged,
  type CatalogDocument,
  type CatalogWrite,
  type ComponentReads,
  type KindUsage,
  type LostComponents,
  type PutDocument,
  type StoredComponent,
  type StoredStream,
} from '../../src/store/index.ts'
import {
  componentFields,
  createOf,
  PLAIN,
  putComponent,
  putStream,
  streamFields,
} from '../contract/catalog-components.ts'

export const ORGS = ['', 'org-one', 'org-two']
export const DOCUMENT_KINDS = ['cycle', 'user', 'session']
export const FOLDERS = ['', '/site', '/site/hall', '/site-2']
const DOCUMENTS_OF_KIND = 8
const LONG_ID = 'a component whose ID is longer than most are, '.repeat(4)

/** All that was written, as reads must answer it. */
export interface Contents {
  readonly components: Map<string, StoredComponent>
  readonly streams: Map<string, StoredStream>
  readonly documents: Map<string, CatalogDocument>
  readonly changes: readonly CatalogChange[]
  readonly usage: ReadonlyMap<string, readonly KindUsage[]>
}

const byKey = (document: CatalogDocument) => `${document.orgUid} ${document.kind} ${document.uid}`

function documentsOf(orgUid: string): PutDocument[] {
  return DOCUMENT_KINDS.flatMap((kind) =>
    Array.from({ length: DOCUMENTS_OF_KIND }, (_, at): PutDocument => {
      const uid = `${kind}-${at}-${orgUid}`
      return {
        op: 'put',
        orgUid,
        kind,
        uid,
        expectedRevision: 0,
        listKey: `${kind} ${at}`,
        parentUid: at % 2 === 0 ? '' : `${kind}-0-${orgUid}`,
        expiresAtMs: kind === 'session' ? 1_900_000_000_000 + at : undefined,
        claims: [`${kind}_id:${uid}`],
        body: { id: uid, offsetMs: 3_600_000 * at, note: 'x'.repeat(at * 9) },
      }
    }),
  )
}

/** Components that are created: most with two streams, in a folder each. */
function creationsOf(orgUid: string, at: number): CatalogWrite {
  const ids = [
    `device-${at}`,
    `DEVICE-${at}`,
    `gerät-${at} 温度`,
    at === 2 ? LONG_ID : `d${at}`,
    '',
  ]
  const each = ids.map((id): [string, string[]] => [id, id === '' ? [] : ['temp', `s-${at}`]])
  const series = each.flatMap(([id, streams]) => streams.map((one) => ({ host: id, metric: one })))
  const labels = series.map((one, place) => (place % 2 === 0 ? one : { site: `hall ${at}` }))
  return createOf(each, {
    orgUid,
    names: at === 1 ? ids.map((id) => `name of ${id}`) : undefined,
    common: {
      folder: FOLDERS[at],
      timeZone: at % 2 === 0 ? 'UTC' : 'Asia/Kathmandu',
      createdAtMs: 1_700_000_000_000 + at,
      owner: at === 0 ? null : { uid: 'owner', name: 'Ann Owner' },
      more: at === 3 ? { description: 'of the fourth kind' } : {},
    },
    addressedAs: each.map(([id], place) =>
      place === 1 ? [`mqtt:${orgUid}/${id}`, `sn:${orgUid}${at}`] : [],
    ),
    labels,
    series: series.map((one, place) => (place % 3 === 0 ? one : undefined)),
    definitions: [
      PLAIN,
      { ...PLAIN, streamKind: 2, valueCode: 9, grid: `P1D ${at}`, more: { unit: '°C' } },
    ],
    definitionOf: series.map((_, place) => place % 2),
  })
}

/** Components of other stores, and streams that were added to some. */
function singlesOf(orgUid: string): CatalogWrite[] {
  const [moved, counted] = [newUid(), newComponentUid()]
  const more = { orgUid }
  const fields = componentFields('moved', { folder: '/site/hall', addressedAs: [`x:${orgUid}`] })
  const own = { ...streamFields('own', { order: 3, series: { own: orgUid } }), revision: 4 }
  return [
    putComponent(moved, fields, { ...more, revision: 7 }),
    putStream(newUid(), { ...own, componentUid: moved }, more),
    putStream(newUid(), { ...streamFields('other'), componentUid: moved }, more),
    putComponent(counted, componentFields('grown', { lastOrdinal: 5, name: 'Grown' }), more),
    putStream(countedUidOf(counted, 9), { ...streamFields('nine'), componentUid: counted }, more),
    putStream(
      countedUidOf(counted, 2 ** 24 - 1),
      { ...streamFields('last', { order: 2 ** 31, isDerived: true }), componentUid: counted },
      more,
    ),
    putStream(newUid(), { ...streamFields(''), componentUid: counted }, more),
  ]
}

/** Writes the catalog into a folder, in which nothing is left open. */
export async function makeContents(folder: string): Promise<Contents> {
  const store = await openCatalogStore({ folder })
  for (const orgUid of ORGS) {
    await store.commit(documentsOf(orgUid))
    await store.commit(FOLDERS.map((_, at) => creationsOf(orgUid, at)))
    await store.commit(singlesOf(orgUid))
    // Some of everything is changed and deleted, so that pages have free room and old bytes.
    const gone = createOf([['gone', ['a', 'b']]], { orgUid, addressedAs: [[`gone:${orgUid}`]] })
    await store.commit([gone])
    const { uid } = gone
    const remove = { op: 'delete', orgUid, expectedRevision: 'any' } as const
    await store.commit([
      { ...remove, kind: 'stream', uid: countedUidOf(uid, 1) },
      { ...remove, kind: 'stream', uid: countedUidOf(uid, 2) },
      { ...remove, kind: 'component', uid },
    ])
    const found = await store.components.findById(orgUid, 'device-1')
    assert.ok(found !== undefined)
    const { revision: _, ...renamed } = { ...found, id: 'renamed', name: 'Renamed' }
    await store.commit([{ ...renamed, op: 'put_component', expectedRevision: 1 }])
    await store.acquireLease(`sweep${orgUid}`, 'me', 60_000)
  }
  const contents = await readContents(store)
  await store.close()
  return contents
}

async function readContents(
  store: Awaited<ReturnType<typeof openCatalogStore>>,
): Promise<Contents> {
  const components = new Map<string, StoredComponent>()
  const streams = new Map<string, StoredStream>()
  const documents = new Map<string, CatalogDocument>()
  const usage = new Map<string, readonly KindUsage[]>()
  for (const orgUid of ORGS) {
    const page = { orgUid, start: 0, limit: 1_000 }
    for (const component of (await store.components.list(page)).components) {
      components.set(component.uid, component)
      for (const stream of await store.components.streamsOf(orgUid, component.uid, page)) {
        streams.set(stream.uid, stream)
      }
    }
    for (const kind of DOCUMENT_KINDS) {
      for (const document of (await store.list({ ...page, kind })).documents) {
        documents.set(byKey(document), document)
      }
    }
    usage.set(orgUid, await store.usage(orgUid))
  }
  assert.deepEqual([components.size, streams.size, documents.size], [66, 111, 72])
  const { changes } = await store.changesSince(0, 10_000)
  return { components, streams, documents, changes, usage }
}

/** Whether the error is one that names damage. */
export function isDamage(error: unknown): boolean {
  return error instanceof CatalogDamaged || error instanceof FolderDamaged
}

/** The reads of a catalog over a connection, without a writer. */
export function readsOver(
  db: ConstructorParameters<typeof CatalogReadTable>[0],
  file: string,
  onDamage: (what: string) => void,
): { table: CatalogReadTable; components: ComponentReads } {
  const table = new CatalogReadTable(db, onDamage)
  return {
    table,
    components: new EmbeddedComponents({ db, file, table, reporting: (read) => read(), onDamage }),
  }
}

/** Holds every read against what was written. An answer that is wrong fails the test. */
export class ReadTrial {
  readonly #contents: Contents
  readonly #table: CatalogReadTable
  readonly #components: ComponentReads
  /** What was not answered, though it is there. */
  readonly missing: string[] = []
  /** The number of reads that reported damage. */
  refused = 0

  constructor(
    contents: Contents,
    reads: { readonly table: CatalogReadTable; readonly components: ComponentReads },
  ) {
    this.#contents = contents
    this.#table = reads.table
    this.#components = reads.components
  }

  async run(): Promise<void> {
    for (const component of this.#contents.components.values()) await this.#askFor(component)
    for (const stream of this.#contents.streams.values()) await this.#askForStream(stream)
    for (const document of this.#contents.documents.values()) await this.#askForDocument(document)
    for (const orgUid of ORGS) {
      for (const folder of [undefined, ...FOLDERS]) {
        for (const isDirect of [false, true]) await this.#list(orgUid, folder, isDirect)
      }
      await this.#walk(orgUid)
      for (const kind of DOCUMENT_KINDS) await this.#listDocuments(orgUid, kind)
      const usage = await this.#attempt(() => this.#table.selectUsage(orgUid))
      const wanted = this.#contents.usage.get(orgUid)
      if (usage && JSON.stringify(usage) !== JSON.stringify(wanted)) this.missing.push('usage')
    }
    await this.#readChanges()
    await this.#scan()
  }

  /** What a read answers; undefined when it reports damage. */
  async #attempt<T>(read: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await read()
    } catch (error) {
      if (!isDamage(error)) throw error
      this.refused += 1
      return undefined
    }
  }

  async #hold<T extends object>(
    what: string,
    wanted: T,
    read: () => T | undefined | Promise<T | undefined>,
  ): Promise<void> {
    const found = await this.#attempt(async () => (await read()) ?? 'missing')
    if (found === 'missing') this.missing.push(what)
    else if (found !== undefined) assert.deepEqual(found, wanted, what)
  }

  async #askFor(wanted: StoredComponent): Promise<void> {
    const { orgUid, uid, id, addressedAs } = wanted
    const reads = this.#components
    await this.#hold(`component ${uid}`, wanted, () => reads.get(orgUid, uid))
    if (id !== '') await this.#hold(`ID ${id}`, wanted, () => reads.findById(orgUid, id))
    for (const address of addressedAs) {
      await this.#hold(
        address,
        wanted,
        async () => (await reads.findAddressed(orgUid, [address]))[0],
      )
    }
    const page = { start: 0, limit: 100 }
    const streams = await this.#attempt(() => reads.streamsOf(orgUid, uid, page))
    if (streams === undefined) return
    for (const stream of streams) {
      assert.deepEqual(stream, this.#contents.streams.get(stream.uid))
      assert.equal(stream.componentUid, uid)
    }
    const all = [...this.#contents.streams.values()].filter((one) => one.componentUid === uid)
    if (streams.length !== all.length) this.missing.push(`streams of ${uid}`)
  }

  async #askForStream(wanted: StoredStream): Promise<void> {
    const { orgUid, uid, series } = wanted
    const reads = this.#components
    await this.#hold(`stream ${uid}`, wanted, () => reads.getStream(orgUid, uid))
    if (series === undefined) return
    await this.#hold(
      `series of ${uid}`,
      wanted,
      async () => (await reads.findSeries(orgUid, [series]))[0],
    )
  }

  async #askForDocument(wanted: CatalogDocument): Promise<void> {
    const { orgUid, kind, uid } = wanted
    const claim = `${kind}_id:${uid}`
    await this.#hold(`${kind} ${uid}`, wanted, () => this.#table.selectByKey(wanted))
    await this.#hold(claim, wanted, () => this.#table.selectByClaim(orgUid, claim))
  }

  async #list(orgUid: string, folder: string | undefined, isDirect: boolean): Promise<void> {
    if (folder === undefined && isDirect) return
    const query = { orgUid, folder, isDirect, start: 0, limit: 100 }
    const isIn = (at: string): boolean =>
      folder === undefined || at === folder || (!isDirect && at.startsWith(`${folder}/`))
    const wanted = [...this.#contents.components.values()]
      .filter((one) => one.orgUid === orgUid && isIn(one.folder))
      .map(({ uid }) => uid)
    for (const leavesOutDamaged of [false, true]) {
      const page = await this.#attempt(() => this.#components.list({ ...query, leavesOutDamaged }))
      if (page === undefined) continue
      const what = `the list of ${orgUid}${folder ?? ''}`
      this.#holdList(what, page.components, wanted)
      if (page.totalCount !== wanted.length) this.missing.push(`total of ${what}`)
    }
  }

  async #walk(orgUid: string): Promise<void> {
    const found: StoredComponent[] = []
    let after: string | undefined
    let steps = 0
    do {
      const at = after
      const step = await this.#attempt(() => this.#components.walk({ orgUid, after: at, limit: 3 }))
      if (step === undefined) return
      found.push(...step.components)
      after = step.next
      steps += 1
      assert.ok(steps < 1_000, 'a walk does not end')
    } while (after !== undefined)
    const all = [...this.#contents.components.values()].filter((one) => one.orgUid === orgUid)
    this.#holdList(
      `the walk of ${orgUid}`,
      found,
      all.map(({ uid }) => uid),
    )
  }

  /** Each once and in order; some may be missing. */
  #holdList(what: string, found: readonly StoredComponent[], wanted: readonly string[]): void {
    const uids = found.map(({ uid }) => uid)
    for (const component of found) {
      assert.deepEqual(component, this.#contents.components.get(component.uid), what)
    }
    const there = new Set(uids)
    assert.equal(there.size, uids.length, `${what} tells a component twice`)
    if (uids.length !== wanted.length) this.missing.push(what)
    else if (uids.join() !== wanted.join()) this.missing.push(`order of ${what}`)
  }

  async #listDocuments(orgUid: string, kind: string): Promise<void> {
    const page = await this.#attempt(() =>
      this.#table.selectPage({ orgUid, kind, start: 0, limit: 100 }),
    )
    const walked: CatalogDocument[] = []
    let after: string | undefined
    let steps = 0
    do {
      const at = after
      const step = await this.#attempt(() =>
        this.#table.selectStep({ orgUid, kind, after: at, limit: 3 }),
      )
      if (step === undefined) break
      walked.push(...step.documents)
      after = step.next
      steps += 1
      assert.ok(steps < 1_000, 'a walk does not end')
    } while (after !== undefined)
    for (const found of [page?.documents ?? [], walked]) {
      for (const one of found) assert.deepEqual(one, this.#contents.documents.get(byKey(one)))
      assert.equal(new Set(found.map(byKey)).size, found.length)
    }
    const lengths = [page?.documents.length, page?.totalCount, walked.length]
    if (page !== undefined && lengths.some((length) => length !== DOCUMENTS_OF_KIND)) {
      this.missing.push(`the list of ${kind} in ${orgUid}`)
    }
  }

  async #readChanges(): Promise<void> {
    const { changes } = this.#contents
    const found = await this.#attempt(() => this.#table.selectChanges(0, 10_000))
    if (found === undefined) return
    for (const one of found) {
      assert.deepEqual(
        one,
        changes.find(({ cursor }) => cursor === one.cursor),
      )
    }
    if (found.length !== changes.length) this.missing.push('changes')
  }

  /** Everything that a scan omits must be reported as lost, here and now. */
  async #scan(): Promise<void> {
    const { components, streams } = this.#contents
    const uidOf = new Map<number, string>()
    const seen = new Set<string>()
    const see = (uid: string): void => {
      assert.ok(!seen.has(uid), `${uid} comes twice`)
      seen.add(uid)
    }
    const scanned = await this.#attempt(() =>
      this.#components.scan({
        onCount: () => {},
        onComponents: ({ refs, orgUids, uidWords, ids, timeZones }) => {
          for (const [at, ref] of refs.entries()) {
            const uid = showUid(uidWords, at * UID_WORDS)
            const { orgUid, id, timeZone } = components.get(uid) ?? {}
            assert.deepEqual([orgUids[at], ids[at], timeZones[at]], [orgUid, id, timeZone])
            uidOf.set(ref, uid)
            see(uid)
          }
        },
        onStreams: (block) => {
          for (const [at, ref] of block.componentRefs.entries()) {
            const componentUid = uidOf.get(ref)
            if (componentUid === undefined) continue
            const ordinal = block.ordinals[at]
            const uid = ordinal > 0 ? countedUidOf(componentUid, ordinal) : block.uids.get(at)
            assert.ok(uid !== undefined)
            const wanted = streams.get(uid)
            assert.deepEqual(
              {
                componentUid,
                handle: block.handles[at],
                id: block.ids[at],
                order: block.orders[at],
                ...block.definitions[at],
              },
              wanted && {
                componentUid: wanted.componentUid,
                handle: wanted.handle,
                id: wanted.id,
                order: wanted.order,
                streamKind: wanted.streamKind,
                grid: wanted.grid,
                valueCode: wanted.valueCode,
                isDerived: wanted.isDerived,
                hasDeleteProfile: wanted.hasDeleteProfile,
              },
            )
            see(uid)
          }
        },
      }),
    )
    if (scanned !== undefined) this.#holdLost(seen, scanned.lost)
  }

  #holdLost(seen: ReadonlySet<string>, lost: LostComponents | undefined): void {
    for (const { orgUid, uid, id } of this.#contents.components.values()) {
      if (seen.has(uid)) continue
      this.missing.push(`component ${uid}`)
      assert.ok(lost?.ofUid(uid) !== undefined, `component ${uid} is lost unsaid`)
      assert.ok(lost.ofOrganization(orgUid) !== undefined, `${orgUid} has lost nothing`)
      assert.ok(id === '' || lost.ofComponentId(orgUid, id) !== undefined, `${id} is lost unsaid`)
    }
    for (const { orgUid, uid, componentUid } of this.#contents.streams.values()) {
      if (seen.has(uid)) continue
      this.missing.push(`stream ${uid}`)
      assert.ok(lost?.ofUid(uid) !== undefined, `stream ${uid} is lost unsaid`)
      assert.ok(
        lost.ofUid(componentUid) !== undefined,
        `streams of ${componentUid} are lost unsaid`,
      )
      assert.ok(lost.ofOrganization(orgUid) !== undefined, `${orgUid} has lost nothing`)
    }
  }
}
