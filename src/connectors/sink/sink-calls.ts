import { type Method, type Principal, requirePermit } from '../../access/index.ts'
import { type Clock, type EpochMs, refuse } from '../../base/index.ts'
import type { WrittenKey } from '../../store/index.ts'
import type { Connector } from '../record/connector-shape.ts'
import type { Connectors } from '../record/connectors.ts'
import type { ArrivedPayload, PayloadRuns } from '../run/payload-runs.ts'
import { Arrivals } from './arrivals.ts'
import { ConnectorFinder } from './connector-finder.ts'
import { senderRefusal } from './sender-refusal.ts'

/** The longest body of a sink, inflated: SQL sees it as one text, beside what it makes of it. */
export const SINK_BODY_BYTES_MAX = 10_000_000

/** Which sink a call means. */
interface SinkTarget {
  readonly orgUid: string
  readonly connectorId: string
  readonly method: Method
}

interface SinkDeps {
  readonly connectors: Connectors
  readonly runs: PayloadRuns
  readonly clock: Clock
}

/** Calls of sinks, whichever protocol brought them. */
export class SinkCalls {
  readonly #deps: SinkDeps
  readonly #finder: ConnectorFinder
  readonly #arrivals = new Arrivals()

  constructor(deps: SinkDeps) {
    this.#deps = deps
    this.#finder = new ConnectorFinder((orgUid, id) => deps.connectors.findById(orgUid, id))
  }

  /** The connector of a call when it is in memory and the key may call it; undefined: ask `find`. */
  findNow(principal: Principal, target: SinkTarget): Connector | undefined {
    this.#requirePermit(principal, target)
    const found = this.#finder.peek(target.orgUid, target.connectorId)
    return found !== undefined && isOpen(found) ? found : undefined
  }

  /** The connector of a call; refuses a key that may not call it, and one that is not there or disabled. */
  async find(principal: Principal, target: SinkTarget): Promise<Connector> {
    this.#requirePermit(principal, target)
    const found = await this.#finder.find(target.orgUid, target.connectorId)
    if (found !== undefined && isOpen(found)) return found
    const { connectorId: id } = target
    const why = found?.connType === 'HTTP' ? ': it is disabled' : ''
    refuse('not_found', { what: `Cannot find connector "${id.slice(0, 60)}"${why}` })
  }

  /** Turns the body into samples. Returns their number once they and the body are durable. */
  async receive(connector: Connector, came: Omit<ArrivedPayload, 'time'>): Promise<number> {
    const { clock, runs } = this.#deps
    const time = this.#arrivals.next(connector.uid, clock.now())
    try {
      return (await runs.receive(connector, { time, ...came })).sampleCount
    } catch (error) {
      throw senderRefusal(error)
    }
  }

  /** Takes note of what arrived before the start: no time is given twice. */
  noteArrival(connectorUid: string, time: EpochMs): void {
    this.#arrivals.note(connectorUid, time)
  }

  /** Forgets what a commit has written. */
  forgetWritten(writes: readonly WrittenKey[]): void {
    this.#finder.forgetWritten(writes)
  }

  #requirePermit(principal: Principal, { orgUid, connectorId, method }: SinkTarget): void {
    // A slash would make it a path below the right of another connector.
    const name = /[%/]/.test(connectorId)
      ? connectorId.replaceAll('%', '%25').replaceAll('/', '%2F')
      : connectorId
    requirePermit(principal, `conn_sink/${name}`, method)
    if (principal.orgUid === orgUid) return
    refuse('not_found', { what: 'Cannot find this connector in the organization of the key' })
  }
}

/** Whether a connector takes calls. */
function isOpen({ connType, isEnabled }: Connector): boolean {
  return isEnabled && connType === 'HTTP'
}
