import assert from 'node:assert/strict'
import { type Answer, type Call, caller, signIn } from './caller.ts'
import { checkDescribed } from './described-answers.ts'
import { type Service, type ServiceOptions, startService } from './service.ts'

/** A service with its owner signed in, for tests of connectors. */
export interface ConnectorHome {
  readonly service: Service
  readonly owner: Call
  readonly ownerUid: string
  /** Saves a connector with one proc, which runs as the owner unless said otherwise. */
  make(id: string, sql: string, more?: object): Promise<string>
  /** Calls a sink with the feed key, or as the options say. */
  send(id: string, options?: SinkOptions): Promise<Answer>
  /** The samples of a stream, the oldest first, as time and data. */
  samples(compId: string, streamId: string): Promise<[number, unknown][]>
}

/** How a sink is called. */
export interface SinkOptions {
  readonly method?: string
  /** Behind the question mark; the key goes into it unless `key` says otherwise. */
  readonly query?: string
  readonly body?: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
  /** Put into the query; undefined: none. */
  readonly key?: string
  readonly orgUid?: string
}

/** Inserts a sample for each value of `{"d":…,"v":{…}}`, at the time of the call. */
export const VALUES_SQL = `INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE)
SELECT d, s, t, v FROM JSON_TABLE(@HTTP_BODY) WITH (
  d String '$.d', s String '$.v[*].s', t Long '$.v[*].t', v Double '$.v[*].x')`

/** A body for VALUES_SQL; without a time it is NULL. */
export function valuesBody(d: string, ...values: { s: string; x: unknown; t?: number }[]): string {
  return JSON.stringify({ d, v: values })
}

/** Calls a sink of a service. */
export async function callSink(
  service: Pick<Service, 'url'>,
  place: { readonly orgUid: string; readonly id: string },
  options: SinkOptions = {},
): Promise<Answer> {
  const { method = 'POST', query = '', headers = {}, body, key } = options
  const pairs = [...(key === undefined ? [] : [`api_key=${key}`]), ...(query ? [query] : [])]
  const path = `/api/conn_sink/${place.orgUid}/${encodeURIComponent(place.id)}`
  const target = pairs.length === 0 ? path : `${path}?${pairs.join('&')}`
  const answer = await fetch(`${service.url}${target}`, {
    method,
    headers,
    body: body as string | undefined,
  })
  const text = await answer.text()
  const { status, headers: answered } = answer
  checkDescribed({
    method,
    path: target,
    status,
    text,
    contentType: answered.get('content-type'),
  })
  return { status, headers: answered, text, body: text === '' ? undefined : JSON.parse(text) }
}

/** Starts a service for tests of connectors. */
export async function startConnectorHome(options: ServiceOptions = {}): Promise<ConnectorHome> {
  const service = await startService(options)
  const owner: Call = async (method, path, body) => {
    const session = await cookie
    return await caller(service, session)(method, path, body)
  }
  const cookie = signIn(service, service.ownerEmail, service.ownerPassword)
  const { body } = await owner('GET', '/api/org_user')
  const ownerUid: string = body.org_user[0].uid
  return {
    service,
    owner,
    ownerUid,
    make: async (id, sql, more = {}) => {
      const connector = {
        id,
        name: id,
        connType: 'HTTP',
        runningUser: { uid: ownerUid },
        procs: [{ timeZoneId: 'UTC', sql }],
        ...more,
      }
      const made = await owner('PUT', '/api/connector', { connector })
      assert.equal(made.status, 200, made.text)
      return made.body.connector.uid
    },
    send: (id, given = {}) =>
      callSink(
        service,
        { orgUid: given.orgUid ?? service.orgUid, id },
        { ...('key' in given ? {} : { key: service.feedKey }), ...given },
      ),
    samples: async (compId, streamId) => {
      const path = `/api/comp/${encodeURIComponent(compId)}/stream/${encodeURIComponent(streamId)}/feed`
      const read = await owner('GET', path)
      if (read.status === 404) return []
      assert.equal(read.status, 200, read.text)
      return read.body
        .map(({ time, data }: { time: number; data: unknown }) => [time, data])
        .reverse()
    },
  }
}
