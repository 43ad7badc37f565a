/** Payloads of HTTP connectors on their way to samples: the first time, and again. */
import { type Principal, userPrincipal } from '../../access/index.ts'
import { type Clock, type EpochMs, type Log, Refusal, refusal, refuse } from '../../base/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import type { GqlOutcome, GqlRun, GqlRuns } from '../../gql/index.ts'
import type {
  AssignedSpan,
  KeptPayload,
  PayloadKey,
  PayloadStore,
  RunOutcome,
} from '../../store/index.ts'
import type { Connector, ConnectorProc } from '../record/connector-shape.ts'
import type { Connectors } from '../record/connectors.ts'
import { decodeQuery, maskInMessage, maskKey, maskSecret } from '../sink/query-string.ts'
import { placeInProc, programOf } from './connector-program.ts'
import { UnkeptOutcomes } from './unkept-outcomes.ts'

/** What a sink was called with; the query is as it stood in the address. */
export interface ArrivedPayload {
  readonly time: EpochMs
  readonly method: string
  readonly query: string
  readonly body: string | null
  /** The key of the call: nothing that is kept holds it. */
  readonly secret: string
}

/** What SQL sees of a payload; its query is decoded. */
type PayloadText = Pick<ArrivedPayload, 'method' | 'query' | 'body' | 'time'>

/** A payload that is run; `landed` is there when it came a moment ago, and resolves when it is durable. */
interface GivenPayload {
  readonly payload: PayloadText
  readonly assigned: readonly AssignedSpan[]
  readonly landed?: Promise<void>
  readonly secret?: string
}

interface PayloadRunDeps {
  readonly catalog: Pick<Catalog, 'ensureLoaded'>
  readonly gql: Pick<GqlRuns, 'run'>
  readonly connectors: Pick<Connectors, 'findRunAs'>
  readonly payloads: PayloadStore
  readonly clock: Clock
  readonly log: Log
}

/** Messages are shown in lists. */
const MESSAGE_LENGTH_MAX = 2_000

/** Runs the SQL of connectors over what they were given. */
export class PayloadRuns {
  readonly #deps: PayloadRunDeps
  /** Payloads that run at this moment. */
  readonly #running = new Set<string>()
  readonly #unkept: UnkeptOutcomes

  constructor(deps: PayloadRunDeps) {
    this.#deps = deps
    const exclusively = (uid: string, work: () => Promise<void>) => this.exclusively(uid, work)
    this.#unkept = new UnkeptOutcomes({ ...deps, exclusively })
  }

  /** Before the store is closed. */
  async close(): Promise<void> {
    await this.#unkept.close()
  }

  /** Has a payload for itself while it looks at it and runs it; refuses when another has. */
  async exclusively<T>(uid: string, work: () => Promise<T>): Promise<T> {
    if (this.#running.has(uid)) {
      refuse('conflict', { what: 'This payload is being processed. Wait until it finishes' })
    }
    this.#running.add(uid)
    try {
      return await work()
    } finally {
      this.#running.delete(uid)
    }
  }

  /**
   * Keeps what a sink was called with and runs the connector's SQL over it, both at once, and stores samples once the
   * payload is durable; resolves when they are, too. What fails is kept, with its outcome durable, when it rejects.
   */
  async receive(connector: Connector, arrived: ArrivedPayload): Promise<GqlOutcome> {
    const { payloads } = this.#deps
    const { orgUid, uid: connectorUid } = connector
    const { time, method, body, secret } = arrived
    const query = decodeQuery(arrived.query)
    const put = payloads.put({
      orgUid,
      connectorUid,
      time,
      method,
      query: maskSecret(decodeQuery(maskKey(arrived.query)), secret),
      body: body === null ? null : maskSecret(body, secret),
    })
    // Met below, when the run is over.
    put.landed.catch(() => undefined)
    const key = { orgUid, connectorUid, uid: put.uid }
    const given = {
      payload: { time, method, query, body },
      landed: put.landed,
      assigned: [],
      secret,
    }
    return await this.exclusively(put.uid, () => this.#runKept(connector, key, given))
  }

  /** Runs a kept payload, which the caller has for itself; its outcome takes the place of the one before. */
  async runAgain(connector: Connector, payload: KeptPayload): Promise<GqlOutcome> {
    const { orgUid, uid: connectorUid } = connector
    const { uid, assigned } = payload
    return await this.#runKept(connector, { orgUid, connectorUid, uid }, { payload, assigned })
  }

  /** What the SQL would store of a payload, as a caller or as the connector's user; stores nothing. */
  async tryOut(
    of: { readonly procs: readonly ConnectorProc[]; readonly principal: Principal },
    connectorId: string,
    payload: PayloadText,
  ): Promise<GqlOutcome> {
    const { procs, principal } = of
    const run = runOf({ id: connectorId, procs }, { principal, payload, isDry: true })
    return await this.#run(run, procs)
  }

  /** The rights of a connector's user; refuses when it is no user of the organization any more. A run asks first. */
  async principalOf({ orgUid, runningUser }: Pick<Connector, 'orgUid' | 'runningUser'>) {
    await this.#deps.catalog.ensureLoaded(orgUid)
    const user = await this.#deps.connectors.findRunAs(orgUid, runningUser.uid)
    if (user === undefined) {
      refuse('forbidden', {
        what: 'The runningUser of this connector no longer belongs to the organization. Set another one',
      })
    }
    return userPrincipal({ orgUid, userUid: user.uid, role: user.role })
  }

  async #runKept(
    connector: Connector,
    key: PayloadKey,
    { payload, landed, assigned, secret = '' }: GivenPayload,
  ): Promise<GqlOutcome> {
    const { clock, payloads } = this.#deps
    const start = clock.now()
    let done: GqlOutcome
    try {
      const repeat = {
        earlier: assigned,
        isPast: landed === undefined,
        keep: (spans: readonly AssignedSpan[]) => payloads.keepAssigned(key, spans),
      }
      done = await this.#runAsUser(connector, { payload, repeat, landed })
      await landed
    } catch (error) {
      // Its outcome is durable before the caller hears of it, who may send it again: it is not run by itself.
      await this.#settle(key, { ...failedOutcome(error, secret), start, end: clock.now() })
      throw error
    }
    const { rowCount: rowsFetched, sampleCount } = done
    // So is this one: clients that saw the samples may change or delete them, and a second run would restore them.
    await this.#settle(key, {
      start,
      end: clock.now(),
      status: 'DONE',
      rowsFetched,
      rowsIngested: sampleCount,
      rowsSkipped: 0,
      samples: sampleCount,
      message: '',
    })
    return done
  }

  async #runAsUser(
    connector: Connector,
    { payload, repeat, landed }: Pick<GivenPayload, 'payload' | 'landed'> & Pick<GqlRun, 'repeat'>,
  ): Promise<GqlOutcome> {
    const principal = await this.principalOf(connector)
    const run = runOf(connector, { principal, payload, isDry: false })
    const key = `${connector.uid} ${connector.revision}`
    // Statements may take long; who has lost the right meanwhile stores nothing. Nor does a payload that cannot be
    // kept: its call is refused, and a refused call leaves no samples.
    const renew = async () => {
      await landed
      return await this.principalOf(connector)
    }
    // Only the sender of a webhook waits for its run; payloads that are run again share the runners of queries.
    const kind = landed === undefined ? 'query' : 'webhook'
    return await this.#run({ ...run, kind, key, renew, repeat }, connector.procs)
  }

  async #run(run: GqlRun, procs: readonly ConnectorProc[]): Promise<GqlOutcome> {
    try {
      return await this.#deps.gql.run(run)
    } catch (error) {
      throw placeInProc(error, procs)
    }
  }

  /** On a disk that takes nothing, or a cluster that is away, the caller receives the outcome of the run. */
  async #settle(key: PayloadKey, outcome: RunOutcome): Promise<void> {
    try {
      await this.#deps.payloads.settle(key, outcome)
    } catch (error) {
      this.#deps.log.warn(
        { error, payload: key.uid },
        'could not store the result of a payload yet',
      )
      this.#unkept.add(key, outcome)
    }
  }
}

function failedOutcome(error: unknown, secret: string): Omit<RunOutcome, 'start' | 'end'> {
  const refused =
    error instanceof Refusal ? error : refusal('internal', { incident: 'see the log' })
  return {
    status: 'FAILED',
    rowsFetched: 0,
    rowsIngested: 0,
    rowsSkipped: 0,
    samples: 0,
    message: maskInMessage(refused.message, secret).slice(0, MESSAGE_LENGTH_MAX),
  }
}

function runOf(
  { id, procs }: Pick<Connector, 'id' | 'procs'>,
  about: { principal: Principal; payload: PayloadText; isDry: boolean },
): GqlRun {
  const { principal, payload, isDry } = about
  const { time, method, query, body } = payload
  return {
    ...programOf(procs),
    principal,
    organizationUid: principal.orgUid,
    now: time,
    isDry,
    allows: { insert: true, stored: true },
    variables: new Map([
      ['@HTTP_BODY', body],
      ['@HTTP_QUERY_STRING', query],
      ['@HTTP_METHOD', method],
      ['@CONNECTOR_ID', id],
    ]),
  }
}
