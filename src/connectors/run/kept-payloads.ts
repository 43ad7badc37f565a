/** What people do with payloads that are kept: look at them, run them again, try SQL on them. */
import type { Static } from 'typebox'
import { type Principal, requirePermit } from '../../access/index.ts'
import { type Clock, refuse, Type } from '../../base/index.ts'
import { type Author, announceChange, quoted } from '../../catalog/index.ts'
import type { Page } from '../../catalog/record/index.ts'
import { refuseField, shapeCheck } from '../../catalog/shape/index.ts'
import type { GqlOutcome } from '../../gql/index.ts'
import type { KeptPayload, PayloadStore, PayloadSummary, RunSummary } from '../../store/index.ts'
import { type CheckSql, type PrepareSql, readProcs, requireSql } from '../record/connector-rules.ts'
import { type Connector, connectorShape } from '../record/connector-shape.ts'
import type { Connectors } from '../record/connectors.ts'
import { requireRunAs } from '../record/require-run-as.ts'
import type { PayloadRuns } from './payload-runs.ts'

/** What became of a payload; without an outcome it runs, or a stop of the service came between. */
export const RUN_STATUSES = ['RUNNING', 'DONE', 'FAILED'] as const

/** A payload in a list. */
interface ShownPayload {
  readonly uid: string
  readonly time: number
  readonly method: string
  readonly size: number
  readonly status: (typeof RUN_STATUSES)[number]
  readonly samples: number
  readonly message: string
}

/** A payload by itself. */
interface WholePayload extends ShownPayload {
  readonly query: string
  readonly body: string | null
}

/** A run in a list. */
interface ShownRun extends Pick<ShownPayload, 'uid' | 'status' | 'samples' | 'message'> {
  readonly start: number
  readonly end: number | null
  readonly rowsFetched: number
  readonly rowsIngested: number
  readonly rowsSkipped: number
}

/** SQL that is not saved, and what it is tried on. */
export const dryRunShape = Type.Object(
  {
    connector: Type.Object(
      {
        id: connectorShape.properties.id,
        runningUser: connectorShape.properties.runningUser,
        procs: connectorShape.properties.procs,
      },
      { description: 'Without runningUser, it runs with the permissions of the caller' },
    ),
    method: Type.Optional(Type.Enum(['PUT', 'POST', 'GET', 'DELETE'])),
    query: Type.Optional(Type.String({ description: 'Decoded, as seen by the SQL' })),
    body: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  },
  {
    title: 'DryRunBody',
    examples: [
      {
        connector: {
          procs: [
            {
              sql: "INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE) SELECT 'd1', 'temp', NULL, CAST(@HTTP_BODY AS DOUBLE)",
            },
          ],
        },
        body: '21.5',
      },
    ],
  },
)

type DryRunInput = Static<typeof dryRunShape>
const checkDryRun = shapeCheck('', dryRunShape)

interface KeptPayloadsDeps {
  readonly connectors: Connectors
  readonly payloads: PayloadStore
  readonly runs: PayloadRuns
  readonly clock: Clock
  readonly checkSql: CheckSql
  readonly prepareSql: PrepareSql
  /** What an import runs at this moment, and how far it is. */
  readonly runningOf: (
    connectorUid: string,
  ) => { readonly uid: string; readonly rowsFetched: number; readonly samples: number } | undefined
}

/** The payloads and runs of connectors, each call checked against the caller's rights. */
export class KeptPayloads {
  readonly #deps: KeptPayloadsDeps

  constructor(deps: KeptPayloadsDeps) {
    this.#deps = deps
  }

  /** A page of a connector's payloads, the newest first. */
  async list(principal: Principal, connectorUid: string, page: Page) {
    await this.#deps.connectors.require(principal, connectorUid, 'GET')
    const { payloads, totalCount } = await this.#deps.payloads.list(connectorUid, page)
    return { records: payloads.map(showPayload), totalCount }
  }

  /** A page of a connector's runs, the newest first. */
  async listRuns(principal: Principal, connectorUid: string, page: Page) {
    await this.#deps.connectors.require(principal, connectorUid, 'GET')
    const { runs, totalCount } = await this.#deps.payloads.listRuns(connectorUid, page)
    const running = this.#deps.runningOf(connectorUid)
    const records = runs.map(showRun).map((run) => {
      if (run.status !== 'RUNNING' || run.uid !== running?.uid) return run
      const { rowsFetched, samples } = running
      return { ...run, rowsFetched, samples }
    })
    return { records, totalCount }
  }

  /** One payload with its body. */
  async get(principal: Principal, connectorUid: string, uid: string): Promise<WholePayload> {
    await this.#deps.connectors.require(principal, connectorUid, 'GET')
    const payload = await this.#require(connectorUid, uid)
    return { ...showPayload(payload), query: payload.query, body: payload.body }
  }

  /** Runs a payload again; one that succeeded only when it is forced, one that runs never. */
  async run(
    author: Author,
    place: { readonly connectorUid: string; readonly uid: string },
    isForced: boolean,
  ): Promise<ShownPayload> {
    const { connectors, runs } = this.#deps
    const { connectorUid, uid } = place
    const connector = await connectors.require(author, connectorUid, 'POST')
    refuseImport(connector)
    return await runs.exclusively(uid, async () => {
      const payload = await this.#require(connectorUid, uid)
      if (payload.outcome?.status === 'DONE' && !isForced) {
        refuse('conflict', {
          what: 'This payload was already processed and its samples were stored. Use force=true to run it again',
        })
      }
      const detail = `${quoted(connector.id)}: payload ${uid}`
      const change = { kind: 'payload', verb: 'run', uid: connectorUid, detail }
      await announceChange(author, change)
      const { sampleCount } = await runs.runAgain(connector, payload)
      return { ...showPayload(payload), status: 'DONE', samples: sampleCount, message: '' }
    })
  }

  /** What running a kept payload would store; stores nothing. */
  async tryKept(principal: Principal, connectorUid: string, uid: string): Promise<GqlOutcome> {
    const { connectors, runs } = this.#deps
    const connector = await connectors.require(principal, connectorUid, 'POST')
    refuseImport(connector)
    const payload = await this.#require(connectorUid, uid)
    const { id, procs } = connector
    return await runs.tryOut({ procs, principal: await runs.principalOf(connector) }, id, payload)
  }

  /** What SQL that is not saved would store of a payload that is given; stores nothing. */
  async tryUnsaved(principal: Principal, input: unknown): Promise<GqlOutcome> {
    requirePermit(principal, 'connector', 'POST')
    checkDryRun(input)
    const { connector, method = 'POST', query = '', body = null } = input as DryRunInput
    const { checkSql, clock, prepareSql, runs } = this.#deps
    const procs = readProcs(connector.procs ?? [])
    for (const proc of procs) await prepareSql(proc)
    requireSql(procs, checkSql)
    const user = connector.runningUser?.uid ?? ''
    const as = user === '' ? principal : await this.#asUser(principal, user)
    const payload = { time: clock.now(), method, query, body }
    return await runs.tryOut({ procs, principal: as }, connector.id ?? '', payload)
  }

  async #asUser(principal: Principal, userUid: string): Promise<Principal> {
    const { connectors, runs } = this.#deps
    const { orgUid } = principal
    const user = await connectors.findRunAs(orgUid, userUid)
    if (user === undefined) {
      refuseField('connector.runningUser', 'is not a user of this organization')
    }
    requireRunAs(principal, user)
    return await runs.principalOf({ orgUid, runningUser: { uid: userUid } })
  }

  async #require(connectorUid: string, uid: string): Promise<KeptPayload> {
    const payload = await this.#deps.payloads.get(connectorUid, uid)
    if (payload !== undefined) return payload
    refuse('not_found', {
      what: `Cannot find payload "${uid.slice(0, 60)}". Only the newest 1,000 of a connector are kept`,
    })
  }
}

function refuseImport({ connType }: Connector): void {
  if (connType === 'HTTP') return
  refuse('conflict', { what: 'An import run has no payload. Run the connector' })
}

function showPayload({ uid, time, method, bytes, outcome }: PayloadSummary): ShownPayload {
  const { status = 'RUNNING', samples = 0, message = '' } = outcome ?? {}
  return { uid, time, method, size: bytes, status, samples, message }
}

function showRun({ uid, time, outcome }: RunSummary): ShownRun {
  if (outcome === undefined) {
    const none = { rowsFetched: 0, rowsIngested: 0, rowsSkipped: 0, samples: 0, message: '' }
    return { uid, start: time, end: null, status: 'RUNNING', ...none }
  }
  const { start, end, status, rowsFetched, rowsIngested, rowsSkipped, samples, message } = outcome
  return { uid, start, end, status, rowsFetched, rowsIngested, rowsSkipped, samples, message }
}
