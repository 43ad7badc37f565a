import { allows, type Principal, requirePermit } from '../../access/index.ts'
import { nextIteration } from '../../base/index.ts'
import { allowsStream } from '../../feed/index.ts'
import type { CatalogDocument } from '../../store/index.ts'
import { EVENT_KIND, eventKeyOf, type StoredEvent } from '../state/state-documents.ts'
import { ALERT_KIND } from './alert-rules.ts'
import type { Alert } from './alert-shape.ts'
import type { AlertStates } from './alert-states.ts'
import type { Alerts, AlertsDeps } from './alerts.ts'
import { type AskedList, type BoardList, listForBoard } from './board-lists.ts'

/** Events that one call reads: about a second on a cluster. */
const READ_MAX = 10_000
/** Events read between two turns of others: about five milliseconds. */
const STEP = 500
/** Events that one call returns: more than a board can show. */
const FOUND_MAX = 1_000

/** A stream of a chart, with the range that the chart shows. */
interface AskedEvents {
  readonly streamUid: string
  readonly from: number
  readonly until: number
}

/** An event as a mark of a chart. */
interface BoardEvent extends Omit<StoredEvent, 'message'> {
  readonly uid: string
  readonly alertName: string
  readonly severity: Alert['severity']
}

/** Events, the newest first. */
interface FoundEvents {
  readonly events: readonly BoardEvent[]
  /** Whether older events were left out. */
  readonly isCut: boolean
}

type Deps = Pick<AlertsDeps, 'catalog' | 'catalogStore'> & {
  readonly alerts: Alerts
  readonly alertStates: AlertStates
}

/** Alerts as charts and boards show them. */
export class BoardAlerts {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Refuses callers who may GET no alert. */
  requireReader(principal: Principal): void {
    requirePermit(principal, ALERT_KIND, 'GET')
  }

  /** The alerts of lists, as far as the caller may GET them. */
  async list(principal: Principal, asked: readonly AskedList[]): Promise<BoardList[]> {
    this.requireReader(principal)
    return await listForBoard(this.#deps, principal, asked)
  }

  /** When alerts began and stopped to fire on streams, as far as the caller may GET both. */
  async findEvents(principal: Principal, asked: readonly AskedEvents[]): Promise<FoundEvents> {
    this.requireReader(principal)
    const ranges = this.#rangesOf(principal, asked)
    const names = new AlertNames(this.#deps.alerts, principal)
    const events: BoardEvent[] = []
    let read = 0
    for await (const documents of this.#walk(principal.orgUid, [...ranges.values()])) {
      for (const { uid, body } of documents) {
        const { message: _, ...event } = body as unknown as StoredEvent
        const range = ranges.get(event.streamUid)
        if (range === undefined || event.time < range.from || event.time >= range.until) continue
        if (event.state !== 'FIRING' && event.before !== 'FIRING') continue
        const alert = await names.find(event.alertUid)
        if (alert !== undefined) events.push({ uid, ...event, ...alert })
      }
      read += documents.length
      if (events.length > FOUND_MAX || read >= READ_MAX) {
        return { events: events.slice(0, FOUND_MAX), isCut: true }
      }
    }
    return { events, isCut: false }
  }

  /** The range of each stream that the caller may read. */
  #rangesOf(principal: Principal, asked: readonly AskedEvents[]): Map<string, AskedEvents> {
    const { index } = this.#deps.catalog
    const { orgUid } = principal
    const ranges = new Map<string, AskedEvents>()
    for (const { streamUid, from, until } of asked) {
      const handle = index.hasLivingUid(streamUid) ? index.streamByUid(orgUid, streamUid) : 0
      if (handle === 0 || !allowsStream(index, principal, handle, 'GET')) continue
      const known = ranges.get(streamUid)
      const all = [{ from, until }, ...(known === undefined ? [] : [known])]
      ranges.set(streamUid, { streamUid, ...spanOf(all) })
    }
    return ranges
  }

  /** All events of an organization in a span, from the newest on. */
  async *#walk(
    orgUid: string,
    ranges: readonly AskedEvents[],
  ): AsyncGenerator<readonly CatalogDocument[]> {
    if (ranges.length === 0) return
    const { from, until } = spanOf(ranges)
    const down = { from: eventKeyOf(from), until: eventKeyOf(until) }
    const query = { orgUid, kind: EVENT_KIND, limit: STEP, down }
    for (let after: string | undefined, isOver = from >= until; !isOver; ) {
      const { documents, next } = await this.#deps.catalogStore.walk({ ...query, after })
      yield documents
      after = next
      isOver = next === undefined
      await nextIteration()
    }
  }
}

interface Span {
  readonly from: number
  readonly until: number
}

function spanOf(ranges: readonly Span[]): Span {
  return {
    from: ranges.reduce((least, { from }) => Math.min(least, from), Number.POSITIVE_INFINITY),
    until: ranges.reduce((most, { until }) => Math.max(most, until), Number.NEGATIVE_INFINITY),
  }
}

/** Names of alerts, each read once; undefined for those that the caller may not GET. */
class AlertNames {
  readonly #alerts: Alerts
  readonly #principal: Principal
  readonly #known = new Map<string, Pick<BoardEvent, 'alertName' | 'severity'> | undefined>()

  constructor(alerts: Alerts, principal: Principal) {
    this.#alerts = alerts
    this.#principal = principal
  }

  async find(uid: string): Promise<Pick<BoardEvent, 'alertName' | 'severity'> | undefined> {
    if (this.#known.has(uid)) return this.#known.get(uid)
    const mayGet = allows(this.#principal, `${ALERT_KIND}/${uid}`, 'GET')
    const alert = mayGet ? await this.#alerts.find(this.#principal.orgUid, uid) : undefined
    const found =
      alert === undefined
        ? undefined
        : { alertName: alert.name || alert.id, severity: alert.severity }
    this.#known.set(uid, found)
    return found
  }
}
