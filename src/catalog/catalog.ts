import type { Principal } from '../access/index.ts'
import { type Clock, KeyedMutex, STREAMS_CREATED_PER_CALL_MAX, systemClock } from '../base/index.ts'
import type {
  CatalogStore,
  Labels,
  StoredComponent,
  StoredStream,
  StreamHandle,
} from '../store/index.ts'
import type { CycleDefinition } from '../time/index.ts'
import { autoCreate } from './create/auto-create.ts'
import { CreationAttempt } from './create/creation.ts'
import type {
  CreatedComponent,
  CreationCheck,
  PreparedComponent,
  WantedComponent,
} from './create/creation-plan.ts'
import { planComponent } from './create/plan-component.ts'
import type { DerivationEdges } from './derived/derivation-edges.ts'
import { sourceNames } from './derived/show-derivation.ts'
import { applyInferredTypes, type InferredType } from './documents/apply-inferred-types.ts'
import type { CatalogBase, People } from './documents/catalog-base.ts'
import type { CatalogListener } from './documents/catalog-news.ts'
import type { CatchUps } from './documents/catch-ups.ts'
import { Documents, type StreamsDeletedListener } from './documents/documents.ts'
import { BY_DEVICES } from './documents/record-change.ts'
import { retryConflicts } from './documents/retry-conflicts.ts'
import type { StreamIndex } from './index/stream-index.ts'
import { componentsWithLabel } from './labels/components-with-label.ts'
import { LabelIndex } from './labels/label-index.ts'
import { MetricMetadataBook } from './metadata/metric-metadata.ts'
import { showComponent } from './record/component-rules.ts'
import { ComponentStreams } from './record/component-streams.ts'
import { Components } from './record/components.ts'
import { type CyclePreview, previewCycle } from './record/cycle-preview.ts'
import { type CycleBody, cycleRules, definitionOf } from './record/cycle-record.ts'
import { Dashboards } from './record/dashboards.ts'
import { type DeleteProfileBody, deleteProfileRules } from './record/delete-profile.ts'
import { type DraftedStream, draftStream } from './record/draft-stream.ts'
import {
  checkExpressionText,
  type ExpressionCheck,
  listExpressionFunctions,
  type ShownFunction,
} from './record/expression-check.ts'
import { usesBy } from './record/find-uses.ts'
import { Folders } from './record/folders.ts'
import { type QueryBody, queryRules } from './record/query-record.ts'
import { searchStreams } from './record/search-streams.ts'
import { type FindUses, type RecordRules, SimpleRecords } from './record/simple-records.ts'
import { showStream, streamWrite } from './record/stream-rules.ts'
import { type TemplateBody, templateRules } from './record/template.ts'
import { type UnitBody, unitRules } from './record/unit.ts'
import { walkComponents } from './record/walk-components.ts'
import type { ComponentRecord } from './shape/component-shape.ts'
import type { DerivationStatusBook, LeftAlone } from './shape/derivation-shape.ts'
import { type StreamRecord, streamBodyOf } from './shape/stream-shape.ts'

interface CatalogDeps {
  readonly store: CatalogStore
  readonly people: People
  readonly clock?: Clock
  /** Streams that one call may create. */
  readonly createMax?: number
  /** Whether other processes commit to the same store. */
  readonly isShared?: boolean
  /** Whether the index of an organization is loaded by ensureLoaded(), and not at startup. */
  readonly isLazy?: boolean
}

/** A stream that a door knows. */
interface FoundSeries {
  readonly handle: StreamHandle
  readonly labels: Labels
}

function seriesOf(stream: StoredStream | undefined): FoundSeries | undefined {
  return stream && { handle: stream.handle, labels: stream.labels ?? NO_LABELS }
}

const NO_LABELS: Labels = {}

/** Streams that a walk reads at once: some milliseconds. */
const STREAMS_PER_PAGE = 500

/** Opens the catalog over a store and loads the index of all its streams. */
export async function openCatalog(deps: CatalogDeps): Promise<Catalog> {
  const documents = new Documents(deps.store, deps)
  await documents.load()
  return new Catalog(documents, deps)
}

/** Components, streams and what describes them: the records of every organization. */
export class Catalog {
  readonly index: StreamIndex
  readonly components: Components
  readonly streams: ComponentStreams
  readonly templates: SimpleRecords<TemplateBody>
  readonly folders: Folders
  readonly cycles: SimpleRecords<CycleBody>
  readonly units: SimpleRecords<UnitBody>
  readonly deleteProfiles: SimpleRecords<DeleteProfileBody>
  readonly dashboards: Dashboards
  /** Saved queries of GS SQL. */
  readonly queries: SimpleRecords<QueryBody>
  /** Which streams are derived from which; it follows every commit before that is answered. */
  readonly derivations: DerivationEdges
  /** Streams that one call may create, those of templates counted. */
  readonly createMax: number
  /** The labels of the streams whose values are numbers. */
  readonly labels: LabelIndex
  /** Type, help, and unit of metrics, as writers of Prometheus send them. */
  readonly metricMetadata: MetricMetadataBook
  /** How it follows what other processes commit to the same store. */
  readonly catchUps: CatchUps
  readonly #base: CatalogBase

  constructor(documents: Documents, deps: CatalogDeps) {
    const { people, clock = systemClock } = deps
    this.createMax = deps.createMax ?? STREAMS_CREATED_PER_CALL_MAX
    this.index = documents.index
    this.labels = new LabelIndex(documents)
    this.metricMetadata = new MetricMetadataBook({ documents, clock })
    this.catchUps = documents.catchUps
    this.derivations = documents.edges
    this.cycles = new SimpleRecords(documents, cycleRules, usesBy(documents, 'baseCycle'))
    this.units = new SimpleRecords(documents, unitRules, usesBy(documents, 'unit'))
    const profileUses = usesBy(documents, 'delete_profile')
    this.deleteProfiles = new SimpleRecords(documents, deleteProfileRules, profileUses)
    this.dashboards = new Dashboards(documents)
    this.queries = new SimpleRecords(documents, queryRules)
    const { cycles, units, deleteProfiles } = this
    const locks = new KeyedMutex<string>()
    const records = { cycles, units, deleteProfiles }
    this.#base = { documents, clock, people, locks, ...records, derivationStatus: {} }
    this.templates = new SimpleRecords(documents, templateRules(this.#base))
    this.streams = new ComponentStreams(this.#base)
    this.components = new Components(this.#base, this.streams)
    this.folders = new Folders(this.#base, this.components)
  }

  /**
   * Loads the index of an organization; returns undefined if it is loaded. Call this before any work for the
   * organization: without it the index does not find its streams.
   */
  ensureLoaded(orgUid: string): Promise<void> | undefined {
    return this.#base.documents.loaded.ensure(orgUid)
  }

  /** Records of a kind that another part owns, kept and checked like those of the catalog itself. */
  recordsOf<Body extends { id: string; name: string }>(
    rules: RecordRules<Body>,
    findUses?: FindUses,
  ): SimpleRecords<Body> {
    return new SimpleRecords(this.#base.documents, rules, findUses)
  }

  /** Makes what is missing of the wanted components and streams in one commit; see autoCreate. */
  async autoCreate(
    orgUid: string,
    wanted: readonly WantedComponent[],
    check: CreationCheck = () => {},
  ): Promise<CreatedComponent[]> {
    const deps = { base: this.#base, templates: this.templates, createMax: this.createMax }
    return await autoCreate(deps, orgUid, { wanted, check })
  }

  /** What autoCreate would make of one wanted component; makes nothing. */
  async planCreate(orgUid: string, wanted: WantedComponent): Promise<PreparedComponent> {
    const deps = { base: this.#base, templates: this.templates, createMax: this.createMax }
    return await planComponent(new CreationAttempt(deps, orgUid, true), wanted)
  }

  /** The stream of each series and its labels, undefined for a series of none. */
  async findSeries(
    orgUid: string,
    series: readonly Labels[],
  ): Promise<(FoundSeries | undefined)[]> {
    const { documents } = this.#base
    const { index } = this
    const isFollowed = (stream: StoredStream | undefined) =>
      stream === undefined || index.has(stream.handle)
    const found = await documents.findSeries(orgUid, series)
    if (found.every(isFollowed)) return found.map(seriesOf)
    // Made or deleted by a commit that memory has yet to follow.
    await documents.followed()
    const again = await documents.findSeries(orgUid, series)
    return again.map((one) => (isFollowed(one) ? seriesOf(one) : undefined))
  }

  /** The UID of the component that doors know by each text, undefined for a text of none. */
  async findAddressed(
    orgUid: string,
    addresses: readonly string[],
  ): Promise<(string | undefined)[]> {
    const { documents } = this.#base
    const found = await documents.findAddressed(orgUid, addresses)
    const isFollowed = (component: StoredComponent | undefined) =>
      component === undefined || this.index.componentRef(orgUid, component.uid) !== 0
    if (found.every(isFollowed)) return found.map((component) => component?.uid)
    // Made or deleted by a commit that memory has yet to follow.
    await documents.followed()
    const again = await documents.findAddressed(orgUid, addresses)
    return again.map((one) => (isFollowed(one) ? one?.uid : undefined))
  }

  /** Gives some labels of a stream other texts, as a door does whose points bring them. */
  async setLabels(handle: StreamHandle, labels: Labels): Promise<void> {
    const { documents } = this.#base
    await retryConflicts(documents, async () => {
      const stream = await this.#streamOf(handle)
      if (stream === undefined) return
      const { orgUid, uid, componentUid, revision } = stream
      const body = streamBodyOf(stream)
      const changed = { ...body, labels: { ...body.labels, ...labels } }
      const write = streamWrite({ orgUid, uid, componentUid }, changed, revision)
      await documents.commit([write], BY_DEVICES)
    })
  }

  /** Gives streams without a type the type of their first values; see applyInferredTypes. */
  async applyInferredTypes(inferred: readonly InferredType[]): Promise<void> {
    await applyInferredTypes(this.#base.documents, inferred)
  }

  /** The record of a living stream, for parts that need more than the index holds. */
  async describeStream(handle: StreamHandle): Promise<StreamRecord | undefined> {
    const stream = await this.#streamOf(handle)
    if (stream === undefined) return undefined
    return showStream(stream, sourceNames(this.index, stream.orgUid, undefined))
  }

  async #streamOf(handle: StreamHandle): Promise<StoredStream | undefined> {
    if (!this.index.has(handle)) return undefined
    const { orgUid } = this.index.componentOf(handle)
    return await this.#base.documents.getStream(orgUid, this.index.streamUid(handle))
  }

  /** As describeStream, with the samples that the stream's formula leaves alone. */
  async describeDerived(
    handle: StreamHandle,
  ): Promise<(StreamRecord & { readonly leftAlone: LeftAlone }) | undefined> {
    const stream = await this.#streamOf(handle)
    if (stream === undefined) return undefined
    const names = sourceNames(this.index, stream.orgUid, undefined)
    const { leftAlone = {} } = streamBodyOf(stream)
    return { ...showStream(stream, names), leftAlone }
  }

  /** What formulas need of the record of a living stream that they read, however long its own formula is. */
  async describeSource(
    handle: StreamHandle,
  ): Promise<Pick<StreamRecord, 'revision' | 'rollupMethod'> | undefined> {
    const stream = await this.#streamOf(handle)
    if (stream === undefined) return undefined
    const { rollupMethod } = streamBodyOf(stream)
    return { revision: stream.revision, rollupMethod }
  }

  /** What a component is called, undefined when it is gone. */
  async componentName(orgUid: string, uid: string): Promise<string | undefined> {
    return (await this.#base.documents.getComponent(orgUid, uid))?.name
  }

  /** The record of a living component, without its streams, for parts that need more than the index holds. */
  async describeComponent(orgUid: string, uid: string): Promise<ComponentRecord | undefined> {
    const entry = this.index.componentByUid(orgUid, uid)
    if (entry === undefined) return undefined
    const component = await this.#base.documents.getComponentOnce(orgUid, uid)
    return component === undefined ? undefined : showComponent(component, entry.streamCount)
  }

  /** All streams of an organization that have labels, some at a time. */
  async *walkLabeled(orgUid: string): AsyncGenerator<readonly StoredStream[]> {
    for (let after: string | undefined; ; ) {
      const page = await this.#base.documents.walkLabeled({
        orgUid,
        after,
        limit: STREAMS_PER_PAGE,
      })
      yield page.streams
      if (page.next === undefined) return
      after = page.next
    }
  }

  /** The streams of a component as they are stored, some at a time. */
  async *walkStreams(
    orgUid: string,
    componentUid: string,
  ): AsyncGenerator<readonly StoredStream[]> {
    for (let start = 0; ; start += STREAMS_PER_PAGE) {
      const page = { start, limit: STREAMS_PER_PAGE }
      const streams = await this.#base.documents.streamsOf(orgUid, componentUid, page)
      yield streams
      if (streams.length < STREAMS_PER_PAGE) return
    }
  }

  /** The streams that have a label. */
  searchStreams(
    principal: Principal,
    search: Parameters<typeof searchStreams>[2],
  ): ReturnType<typeof searchStreams> {
    return searchStreams(this.#base.documents, principal, search)
  }

  /** The refs of components with a numeric stream that has a label, as far as the caller may see it. */
  componentsWithLabel(principal: Principal, label: string): Promise<ReadonlySet<number>> {
    return componentsWithLabel(this, principal, label)
  }

  /** All components of an organization, or those in a folder itself, some at a time. */
  walkComponents(orgUid: string, folder?: string): AsyncGenerator<ComponentRecord[]> {
    return walkComponents(this.#base.documents, orgUid, folder)
  }

  /** The unit of a stream, undefined when it has none or the unit is gone. */
  async unitOf(handle: StreamHandle): Promise<UnitBody | undefined> {
    if (!this.index.has(handle)) return undefined
    const { orgUid } = this.index.componentOf(handle)
    const stream = await this.describeStream(handle)
    if (stream?.unit == null) return undefined
    return await this.units.find(orgUid, stream.unit.uid)
  }

  /** The delete profile of a stream, undefined when it has none or the profile is gone. */
  async deleteProfileOf(handle: StreamHandle): Promise<DeleteProfileBody | undefined> {
    if (!this.index.has(handle)) return undefined
    const { orgUid } = this.index.componentOf(handle)
    const stream = await this.describeStream(handle)
    if (stream?.delete_profile == null) return undefined
    return await this.deleteProfiles.find(orgUid, stream.delete_profile.uid)
  }

  /** The calendar rule of a cycle ID: a built-in cycle or one of the organization's own. */
  async findCycle(orgUid: string, cycleId: string): Promise<CycleDefinition | undefined> {
    const cycle = await this.cycles.findById(orgUid, cycleId)
    return cycle === undefined ? undefined : definitionOf(cycle)
  }

  /** The calendar rule of a cycle's UID. */
  async findCycleByUid(orgUid: string, uid: string): Promise<CycleDefinition | undefined> {
    const cycle = await this.cycles.find(orgUid, uid)
    return cycle === undefined ? undefined : definitionOf(cycle)
  }

  /** The next periods of a cycle, saved or only described; see previewCycle. */
  async previewCycle(principal: Principal, input: unknown): Promise<CyclePreview> {
    return await previewCycle(this.#base, principal, input)
  }

  /** What an expression gives, or its first mistake; see checkExpressionText. */
  async checkExpression(principal: Principal, input: unknown): Promise<ExpressionCheck> {
    return await checkExpressionText(principal, input)
  }

  /** A derived stream as it would be saved; see draftStream. */
  async draftStream(
    principal: Principal,
    componentUid: string,
    input: unknown,
  ): Promise<DraftedStream> {
    return await draftStream(this.#base, principal, componentUid, input)
  }

  /** Every function that expressions may use. */
  async listExpressionFunctions(principal: Principal): Promise<ShownFunction[]> {
    return await listExpressionFunctions(principal)
  }

  /** Describes the last runs of derived streams, for their records. */
  showDerivationStatus(book: DerivationStatusBook): void {
    this.#base.derivationStatus.book = book
  }

  /** Calls a listener after streams were deleted; the one who deletes waits for it. */
  onStreamsDeleted(listener: StreamsDeletedListener): void {
    this.#base.documents.onStreamsDeleted(listener)
  }

  /** Calls a listener with the components and folders of commits, once the index has followed. */
  onNews(listener: CatalogListener): void {
    this.#base.documents.onNews(listener)
  }

  /** Finishes deletions that a crash cut short; to be called once all listeners are there. */
  async resumeDeletions(): Promise<void> {
    await this.#base.documents.resumeDeletions()
  }

  /** Takes over what other processes have committed before the call; needed only where several share a store. */
  async refresh(): Promise<void> {
    await this.#base.documents.refresh()
  }
}
