/** Calls the query API of Prometheus. */
import assert from 'node:assert/strict'
import { checkDescribed } from './described-answers.ts'
import {
  packSnappy,
  REMOTE_WRITE_TYPES,
  type WrittenSeries,
  writeMetadata1,
  writeRequest1,
} from './remote-write.ts'
import type { Service } from './service.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into.
type Json = any

/** An answer in the envelope of Prometheus. */
interface PromAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: Json
}

/** Parameters by name; a list is a parameter that comes several times. */
type PromParameters = Readonly<Record<string, string | number | readonly string[]>>

/** A client with a key. */
export interface PromClient {
  get(path: string, parameters?: PromParameters, signal?: AbortSignal): Promise<PromAnswer>
  post(path: string, parameters?: PromParameters): Promise<PromAnswer>
  /** The data of an answer that must be a success. */
  data(path: string, parameters?: PromParameters): Promise<Json>
  /** Stores series by remote write. */
  write(...series: readonly WrittenSeries[]): Promise<void>
  /** Stores what remote write says of metrics. */
  writeMetadata(...metrics: Parameters<typeof writeMetadata1>[0]): Promise<void>
}

function encodeParameters(parameters: PromParameters): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, String(one))
  }
  return search.toString()
}

/** A client of a service with a key, by default the feed key. */
export function promClient(service: Service, key = service.feedKey): PromClient {
  const headers = { Authorization: `Bearer ${key}` }
  const call = async (method: string, path: string, init: RequestInit): Promise<PromAnswer> => {
    const answer = await fetch(`${service.url}${path}`, { method, ...init })
    const text = await answer.text()
    const contentType = answer.headers.get('content-type')
    checkDescribed({ method, path, status: answer.status, contentType, text })
    const isJson = contentType?.includes('json') === true
    const body = isJson ? JSON.parse(text) : undefined
    return { status: answer.status, headers: answer.headers, text, body }
  }
  const get: PromClient['get'] = (path, parameters = {}, signal) =>
    call('GET', `${path}?${encodeParameters(parameters)}`, { headers, signal })
  const send = async (body: Buffer): Promise<void> => {
    const answer = await fetch(`${service.url}/api/v1/write`, {
      method: 'POST',
      headers: {
        ...headers,
        'Content-Type': REMOTE_WRITE_TYPES[1],
        'Content-Encoding': 'snappy',
      },
      body: new Uint8Array(packSnappy(body)),
    })
    assert.equal(answer.status, 204, await answer.text())
  }
  return {
    get,
    post: (path, parameters = {}) =>
      call('POST', path, { headers, body: new URLSearchParams(encodeParameters(parameters)) }),
    data: async (path, parameters) => {
      const { status, body, text } = await get(path, parameters)
      assert.equal(status, 200, text)
      assert.equal(body.status, 'success')
      return body.data
    },
    write: (...series) => send(writeRequest1(series)),
    writeMetadata: (...metrics) => send(writeMetadata1(metrics)),
  }
}
