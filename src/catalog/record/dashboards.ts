import { allows, type Principal, requirePermit } from '../../access/index.ts'
import type { Documents } from '../documents/documents.ts'
import type { Author } from '../documents/record-change.ts'
import type { StreamIndex } from '../index/stream-index.ts'
import {
  type DashboardBody,
  PANEL_STREAMS_MAX,
  PANELS_MAX,
  type PanelStream,
} from '../shape/dashboard-shape.ts'
import { dashboardRules, refuseNoStream } from './dashboard-rules.ts'
import {
  EXPORT_FORMAT,
  EXPORT_VERSION,
  type ExportedDashboard,
  type ExportedStream,
  type ImportRequest,
  readImport,
  textOfIds,
} from './dashboard-transfer.ts'
import { type Page, type RecordList, SimpleRecords } from './simple-records.ts'

/** Boards read at a time: their panels, which lists leave out, would fill a page. */
const READ_AT_ONCE = 50

/** A dashboard as callers see it. */
type DashboardRecord = DashboardBody & {
  readonly uid: string
  readonly panelCount: number
  readonly revision: number
}

type ListedDashboard = Omit<DashboardRecord, 'panels'>

/** What an import made, and the streams that nobody here has, by the IDs of the file. */
interface ImportedDashboard {
  readonly dashboard: DashboardRecord
  readonly missing: readonly ExportedStream[]
}

/** Boards of charts and values: get, list, insert, update, delete, export and import, each checked against the caller's rights. */
export class Dashboards {
  readonly #records: SimpleRecords<DashboardBody>
  readonly #index: StreamIndex

  constructor(documents: Documents) {
    this.#index = documents.index
    this.#records = new SimpleRecords(documents, dashboardRules(documents.index))
  }

  /** A dashboard that is not saved. */
  make(principal: Principal): DashboardRecord {
    return counted(this.#records.make(principal))
  }

  async get(principal: Principal, uid: string): Promise<DashboardRecord> {
    return counted(await this.#records.get(principal, uid))
  }

  /** A page of dashboards, without their panels. */
  async list(principal: Principal, page: Page): Promise<RecordList<ListedDashboard>> {
    const listed: ListedDashboard[] = []
    for (;;) {
      const start = page.start + listed.length
      const limit = Math.min(READ_AT_ONCE, page.limit - listed.length)
      const { records, totalCount } = await this.#records.list(principal, { start, limit })
      listed.push(...records.map((record) => withoutPanels(counted(record))))
      const isLast = records.length < limit || listed.length >= page.limit
      if (isLast) return { records: listed, totalCount }
    }
  }

  async insert(principal: Author, input: unknown): Promise<DashboardRecord> {
    requirePermit(principal, 'dashboard', 'PUT')
    this.#requireSeen(principal, input, [])
    return counted(await this.#records.insert(principal, input))
  }

  async update(principal: Author, uid: string, input: unknown): Promise<DashboardRecord> {
    requirePermit(principal, `dashboard/${uid}`, 'POST')
    const before = await this.#records.find(principal.orgUid, uid)
    this.#requireSeen(principal, input, before?.panels ?? [])
    return counted(await this.#records.update(principal, uid, input))
  }

  async delete(principal: Author, uid: string): Promise<void> {
    await this.#records.delete(principal, uid)
  }

  /** A dashboard for another organization or service: its streams by IDs too, of those that the caller may see. */
  async exportOne(principal: Principal, uid: string): Promise<ExportedDashboard> {
    const board = await this.#records.get(principal, uid)
    const { id, name, description, range, panels, variable } = board
    const shown = panels.map(({ streams, ...panel }) => ({
      ...panel,
      streams: streams.map((stream) => this.#withIds(principal, stream)),
    }))
    const own = variable === undefined ? {} : { variable }
    const body = { id, name, description, range, panels: shown, ...own }
    return { format: EXPORT_FORMAT, version: EXPORT_VERSION, ...body }
  }

  /**
   * Makes a dashboard of an exported one. Its streams are those that the order maps them to, else those of their
   * UIDs, else those of their IDs, always of the caller's organization; the others are left out and listed.
   */
  async importOne(principal: Author, input: unknown): Promise<ImportedDashboard> {
    requirePermit(principal, 'dashboard', 'PUT')
    const order = readImport(input)
    const { id, name, description, range, panels, variable } = order.dashboard
    // The component of the file, as the one of this organization.
    let variableUid: string | undefined
    const missing = new Map<string, ExportedStream>()
    const resolved = panels.map((panel) => ({
      ...panel,
      streams: (panel.streams ?? []).flatMap((stream) => {
        const found = this.#resolve(principal, stream, order)
        if (found === undefined) missing.set(JSON.stringify(stream), stream)
        else if (stream.componentUid === variable?.componentUid) variableUid ??= found.componentUid
        return found ?? []
      }),
    }))
    const own =
      variableUid === undefined ? {} : { variable: { ...variable, componentUid: variableUid } }
    const record = { id, name, description, range, panels: resolved, ...own }
    const dashboard = order.isTrial
      ? await this.#records.check(principal, record)
      : await this.#records.insert(principal, record)
    return { dashboard: counted(dashboard), missing: [...missing.values()] }
  }

  #withIds(principal: Principal, { label: _, ...stream }: PanelStream): ExportedStream {
    const handle = this.#find(principal, stream)
    if (handle === 0) return { ...stream, componentId: '', streamId: '' }
    const componentId = this.#index.componentOf(handle).compId
    return { ...stream, componentId, streamId: this.#index.streamIdOf(handle) }
  }

  #resolve(
    principal: Principal,
    stream: ExportedStream,
    { map }: ImportRequest,
  ): PanelStream | undefined {
    const wanted = map.get(textOfIds(stream)) ?? stream
    const byUid = this.#find(principal, wanted)
    const handle = byUid === 0 ? this.#findById(principal, stream) : byUid
    if (handle === 0) return undefined
    const { uid } = this.#index.componentOf(handle)
    return { componentUid: uid, streamUid: this.#index.streamUid(handle) }
  }

  /** Refuses streams that the caller may not see, as those that are not there; those of the board before stay. */
  #requireSeen(principal: Principal, input: unknown, before: DashboardBody['panels']): void {
    const known = new Set(
      before.flatMap(({ streams }) => streams.map(({ streamUid }) => streamUid)),
    )
    for (const [at, streams] of streamsIn(input).entries()) {
      for (const [place, stream] of streams.entries()) {
        const handle = this.#index.streamByUid(principal.orgUid, stream.streamUid)
        if (handle === 0 || known.has(stream.streamUid)) continue
        if (this.#isSeen(principal, handle)) continue
        refuseNoStream(`dashboard.panels[${at}].streams[${place}]`, stream)
      }
    }
  }

  /** The stream of two UIDs, 0 unless the organization has it and the caller may see it. */
  #find(principal: Principal, { componentUid, streamUid }: PanelStream): number {
    const handle = this.#index.streamByUid(principal.orgUid, streamUid)
    if (handle === 0 || this.#index.componentOf(handle).uid !== componentUid) return 0
    return this.#isSeen(principal, handle) ? handle : 0
  }

  #findById(principal: Principal, { componentId, streamId }: ExportedStream): number {
    const handle = this.#index.resolve(principal.orgUid, componentId, streamId)
    return handle !== 0 && this.#isSeen(principal, handle) ? handle : 0
  }

  /** Whether the caller may know that a stream is there: nobody learns IDs by importing them. */
  #isSeen(principal: Principal, handle: number): boolean {
    const component = `component/${this.#index.componentOf(handle).uid}`
    const feed = `${component}/stream/${this.#index.streamUid(handle)}/feed`
    return allows(principal, component, 'GET') || allows(principal, feed, 'GET')
  }
}

function counted(
  record: DashboardBody & { readonly uid: string; readonly revision: number },
): DashboardRecord {
  const { revision, ...rest } = record
  return { ...rest, panelCount: record.panels.length, revision }
}

/** The streams of each panel of an input whose shape is not checked yet. */
function streamsIn(input: unknown): PanelStream[][] {
  const { panels } = (input ?? {}) as { readonly panels?: unknown }
  if (!Array.isArray(panels)) return []
  return panels.slice(0, PANELS_MAX).map((panel: unknown) => {
    const { streams } = (panel ?? {}) as { readonly streams?: unknown }
    if (!Array.isArray(streams)) return []
    return streams.slice(0, PANEL_STREAMS_MAX).map((stream: unknown) => {
      const { componentUid, streamUid } = (stream ?? {}) as Readonly<Record<string, unknown>>
      return { componentUid: textIn(componentUid), streamUid: textIn(streamUid) }
    })
  })
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function withoutPanels({ panels: _, ...rest }: DashboardRecord): ListedDashboard {
  return rest
}
