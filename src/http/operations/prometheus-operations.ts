/** The query API of Prometheus. */
import type { TProperties, TSchema } from 'typebox'
import type { AlertStates } from '../../alerts/index.ts'
import type { Identity } from '../../auth/index.ts'
import { type Clock, type MemoryBudget, Type } from '../../base/index.ts'
import type { PrometheusQueries, PromqlCall, QueryJob } from '../../prometheus/index.ts'
import { PromqlError } from '../../promql/plain.ts'
import { prometheusDialect } from '../door/prometheus-dialect.ts'
import { onceLeft } from '../gql/once-left.ts'
import {
  alertsAnswer,
  buildAnswer,
  exemplarsAnswer,
  metadataAnswer,
  rulesAnswer,
  seriesAnswer,
  textsAnswer,
  valueAnswer,
} from '../prometheus/prometheus-answers.ts'
import {
  Parameters,
  readInstantQuery,
  readLabelName,
  readRangeQuery,
  readSelectors,
  refuseParameter,
  SELECTORS_MAX,
} from '../prometheus/read-parameters.ts'
import { alertsData, rulesData } from '../prometheus/rule-answers.ts'
import type { Call } from '../table/call.ts'
import { Answer } from '../table/call-answer.ts'
import { type HttpOperation, httpOperation } from '../table/http-operation.ts'
import { packAnswer } from '../table/pack-answer.ts'
import { JSON_TYPE } from '../transport/answer.ts'
import { nodeReplyOf } from '../transport/http-reply.ts'

interface PrometheusDeps {
  readonly alertStates: AlertStates
  readonly prometheus: PrometheusQueries
  readonly identity: Identity
  readonly budget: MemoryBudget
  readonly clock: Clock
}

/** All calls also exist below this path, for clients that want a path of their own. */
const PREFIX = '/prom'

/** The longest form: a query of 65,536 characters, each of them escaped. */
const FORM_BYTES_MAX = 1024 * 1024
const FORM_TYPE = 'application/x-www-form-urlencoded'

/** The version of Prometheus whose PromQL is answered. Clients choose their calls by it. */
const PROMETHEUS_VERSION = '3.14.0'

const BUILD = {
  version: PROMETHEUS_VERSION,
  application: 'Weir',
  revision: '',
  branch: '',
  buildUser: '',
  buildDate: '',
  goVersion: '',
}

const text = (description: string) => Type.Optional(Type.String({ description }))
const time = (name: string) => text(`${name}: seconds since 1970, or RFC 3339`)
const limit = Type.Optional(Type.Integer({ minimum: 0, description: 'Most items. 0 for all' }))
const valueQuery = {
  query: Type.String({ description: 'The query', examples: ['up'] }),
  timeout: text('Seconds, or a duration such as 30s. At most 2 minutes'),
  limit,
  lookback_delta: text('How long a sample counts, in place of the look-back of each series'),
}
const selectorQuery = {
  'match[]': Type.Optional(
    Type.Array(Type.String(), {
      maxItems: SELECTORS_MAX,
      description: 'Selectors. A series must match one of them',
    }),
  ),
  start: time(
    'Series without a sample since that time are left out, if at most 5,000 series match',
  ),
  end: time('Checked, and otherwise ignored'),
  limit,
}

/** A call of the API: how it is described, and what answers it. */
interface Entry {
  readonly name: string
  readonly summary: string
  readonly path: string
  readonly parameters: TProperties
  readonly ids?: TSchema
  readonly answer: TSchema
  /** Parameters as an example of a form; without it the call takes none. */
  readonly formExample?: Readonly<Record<string, unknown>>
  readonly run: (call: Call, parameters: Parameters) => Promise<unknown>
}

/** Queries of PromQL, the label browser, and what clients ask besides. */
export function prometheusOperations(deps: PrometheusDeps): HttpOperation[] {
  return [
    ...valueOperations(deps),
    ...listOperations(deps),
    ...ruleOperations(deps),
    ...emptyOperations(deps),
    ...healthOperations(),
  ]
}

function valueOperations(deps: PrometheusDeps): HttpOperation[] {
  const { clock } = deps
  return [
    ...operationsOf(deps, {
      name: 'PrometheusQuery',
      summary: 'PromQL at one time',
      path: '/api/v1/query',
      parameters: { ...valueQuery, time: time('When, by default the current time') },
      answer: valueAnswer,
      formExample: { query: 'up' },
      run: (call, parameters) =>
        runJob(deps, call, parameters, readInstantQuery(parameters, clock.now())),
    }),
    ...operationsOf(deps, {
      name: 'PrometheusQueryRange',
      summary: 'PromQL at every step of a range',
      path: '/api/v1/query_range',
      parameters: {
        ...valueQuery,
        start: Type.String({ description: 'First step, as time', examples: ['1767225600'] }),
        end: Type.String({ description: 'Last step, as time', examples: ['1767229200'] }),
        step: Type.String({ description: 'Seconds, or a duration such as 1m', examples: ['60'] }),
      },
      answer: valueAnswer,
      formExample: { query: 'up', start: '1767225600', end: '1767229200', step: '60' },
      run: (call, parameters) => runJob(deps, call, parameters, readRangeQuery(parameters)),
    }),
  ]
}

function listOperations(deps: PrometheusDeps): HttpOperation[] {
  return [
    ...operationsOf(deps, {
      name: 'PrometheusLabels',
      summary: 'Names of labels',
      path: '/api/v1/labels',
      parameters: selectorQuery,
      answer: textsAnswer,
      formExample: { 'match[]': ['up'] },
      run: (call, parameters) => {
        const job = { kind: 'labels', ...readSelectors(parameters), label: undefined } as const
        return runJob(deps, call, parameters, job)
      },
    }),
    ...operationsOf(deps, {
      name: 'PrometheusLabelValues',
      summary: 'Values of a label',
      path: '/api/v1/label/:name/values',
      parameters: selectorQuery,
      ids: Type.Object({ name: Type.String({ examples: ['__name__'] }) }),
      answer: textsAnswer,
      run: (call, parameters) => {
        const label = readLabelName(call.ids.name)
        const job = { kind: 'labels', ...readSelectors(parameters), label } as const
        return runJob(deps, call, parameters, job)
      },
    }),
    ...operationsOf(deps, {
      name: 'PrometheusSeries',
      summary: 'Labels of series',
      path: '/api/v1/series',
      parameters: selectorQuery,
      answer: seriesAnswer,
      formExample: { 'match[]': ['up'] },
      run: (call, parameters) => {
        const read = readSelectors(parameters)
        if (read.selectors.length === 0) {
          throw new PromqlError('bad_data', 'no match[] parameter provided')
        }
        return runJob(deps, call, parameters, { kind: 'series', ...read })
      },
    }),
    ...operationsOf(deps, {
      name: 'PrometheusMetadata',
      summary: 'Type, help, and unit of metrics',
      path: '/api/v1/metadata',
      parameters: {
        metric: text('The name of a metric. Without it all are listed'),
        limit,
        limit_per_metric: limit,
      },
      answer: metadataAnswer,
      run: async (call, parameters) => {
        const query = {
          metric: parameters.text('metric') || undefined,
          limit: parameters.count('limit'),
          limitPerMetric: parameters.count('limit_per_metric'),
        }
        const body = await deps.prometheus.metadata(queryCall(deps, call, parameters), query)
        return await sendBody(deps, call, body)
      },
    }),
  ]
}

/** What clients ask although Weir has little to say. */
/** Alerts as rules. A caller without permission for alerts gets empty lists, as Grafana asks with any key. */
function ruleOperations(deps: PrometheusDeps): HttpOperation[] {
  const { alertStates, clock } = deps
  return [
    ...operationsOf(deps, {
      name: 'PrometheusRules',
      summary: 'Alerts as rules of Prometheus',
      path: '/api/v1/rules',
      parameters: { type: text('alert, or record: there are no recording rules') },
      answer: rulesAnswer,
      run: async (call, parameters) => {
        const isRecord = parameters.text('type') === 'record'
        const data = rulesData(
          isRecord ? [] : await alertStates.listRules(call.principal),
          clock.now(),
        )
        return { status: 'success', data }
      },
    }),
    ...operationsOf(deps, {
      name: 'PrometheusAlerts',
      summary: 'Alerts that fire or are pending',
      path: '/api/v1/alerts',
      parameters: {},
      answer: alertsAnswer,
      run: async (call) => ({
        status: 'success',
        data: alertsData(await alertStates.listRules(call.principal)),
      }),
    }),
  ]
}

function emptyOperations(deps: PrometheusDeps): HttpOperation[] {
  const fixed = (entry: Omit<Entry, 'run'>, data: unknown) =>
    operationsOf(deps, {
      ...entry,
      run: async () => ({ status: 'success', data }),
    })
  return [
    ...fixed(
      {
        name: 'PrometheusBuild',
        summary: 'Version of Prometheus whose queries are answered',
        path: '/api/v1/status/buildinfo',
        parameters: {},
        answer: buildAnswer,
      },
      BUILD,
    ),
    ...fixed(
      {
        name: 'PrometheusExemplars',
        summary: 'Exemplars: none',
        path: '/api/v1/query_exemplars',
        parameters: { query: text('Ignored'), start: text('Ignored'), end: text('Ignored') },
        answer: exemplarsAnswer,
        formExample: { query: 'up' },
      },
      [],
    ),
  ]
}

function healthOperations(): HttpOperation[] {
  const answers = { healthy: 'Healthy', ready: 'Ready' }
  return Object.entries(answers).map(([path, word]) =>
    httpOperation({
      name: `getPrometheus${word}`,
      tag: 'prometheus',
      summary: 'Answer that the service runs',
      methods: ['GET'],
      path: `${PREFIX}/-/${path}`,
      callers: 'anyone',
      security: [],
      answer: Type.String({ examples: [`Prometheus Server is ${word}.\n`] }),
      produces: ['text/plain'],
      run: () =>
        new Answer(`Prometheus Server is ${word}.\n`, {
          headers: { 'Content-Type': 'text/plain; charset=utf-8' },
        }),
    }),
  )
}

/** A call as a GET, and with its parameters in a form. */
function operationsOf({ prometheus }: PrometheusDeps, entry: Entry): HttpOperation[] {
  const { name, path, parameters, formExample, run, ...described } = entry
  const answer = (call: Call, form: string) => {
    prometheus.requireReader(call.principal)
    return run(call, new Parameters(call.queryText, form))
  }
  const common = {
    ...described,
    tag: 'prometheus',
    path,
    aliases: [`${PREFIX}${path}`],
    callers: 'uncounted',
    needs: 'GET component/{uid}/feed',
    errors: 'prometheus',
    dialect: prometheusDialect,
    isWrite: false,
  } as const
  const get = httpOperation({
    ...common,
    name: `get${name}`,
    methods: ['GET'],
    query: Type.Object(parameters),
    run: (call) => answer(call, ''),
  })
  if (formExample === undefined) return [get]
  const post = httpOperation<unknown>({
    ...common,
    name: `answer${name}`,
    methods: ['POST'],
    consumes: [FORM_TYPE],
    input: {
      kind: 'text',
      limitBytes: FORM_BYTES_MAX,
      types: [FORM_TYPE],
      schema: Type.Object(parameters, { examples: [formExample] }),
    },
    run: (call) => answer(call, String(call.body ?? '')),
  })
  return [get, post]
}

/** Runs a job in a thread. Messages about a query or selector name its parameter. */
async function runJob(
  deps: PrometheusDeps,
  call: Call,
  parameters: Parameters,
  job: QueryJob,
): Promise<Answer> {
  const promqlCall = queryCall(deps, call, parameters)
  try {
    return await sendBody(deps, call, await deps.prometheus.run(promqlCall, job))
  } catch (error) {
    if (!(error instanceof PromqlError) || error.kind !== 'bad_data') throw error
    refuseParameter('selectors' in job ? 'match[]' : 'query', error.message)
  }
}

function queryCall({ identity }: PrometheusDeps, call: Call, parameters: Parameters): PromqlCall {
  const gone = new AbortController()
  onceLeft(nodeReplyOf(call.exchange), () => gone.abort())
  return {
    principal: call.principal,
    renew: () => call.renew(),
    signal: gone.signal,
    timeoutMs: parameters.timeoutMs(),
    onHanded: (handed) =>
      identity.exports.note(call.acting, { ...handed, form: 'json', answer: call.exchange }),
  }
}

async function sendBody(
  { budget }: PrometheusDeps,
  call: Call,
  bytes: Uint8Array,
): Promise<Answer> {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const headers = { 'Content-Type': JSON_TYPE, Vary: 'accept-encoding' }
  const packed = await packAnswer(body, {
    budget,
    acceptEncoding: call.header('accept-encoding'),
  })
  if (packed === undefined) return new Answer(body, { headers })
  return new Answer(packed, { headers: { ...headers, 'Content-Encoding': 'gzip' } })
}
