import { checkDescribed } from './described-answers.ts'
import type { Service } from './service.ts'

/** An answer with its body read. */
export interface FeedAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Calls the feed of a service with its feed key, unless a query brings its own credential. */
export class FeedClient {
  readonly #service: Service

  constructor(service: Service) {
    this.#service = service
  }

  /** Any call; the path comes without /api, the key is added behind the query. */
  async call(method: string, path: string, init: RequestInit = {}): Promise<FeedAnswer> {
    const { url, feedKey } = this.#service
    const hasCredential = /[?&](?:api_key|session)=/.test(path)
    const joint = path.includes('?') ? '&' : '?'
    const key = hasCredential ? '' : `${joint}api_key=${feedKey}`
    const answer = await fetch(`${url}/api${path}${key}`, { method, ...init })
    const { status, headers } = answer
    const text = await answer.text()
    const contentType = headers.get('content-type')
    checkDescribed({ method, path: `/api${path}`, status, contentType, text })
    return { status, headers, text }
  }

  put(query: string): Promise<FeedAnswer> {
    return this.call('PUT', `/feed?${query}`)
  }

  putJson(body: unknown, query = ''): Promise<FeedAnswer> {
    return this.call('PUT', `/feed?${query}`, { body: JSON.stringify(body) })
  }

  /** The samples of a stream, or of every stream of a component, as [time, data]. */
  async get(compId: string, streamId?: string, query = ''): Promise<[number, unknown][]> {
    const { status, text } = await this.call('GET', `${pathOf(compId, streamId)}/feed?${query}`)
    if (status === 404) return []
    return JSON.parse(text).map(({ time, data }: { time: number; data: unknown }) => [time, data])
  }
}

/** The path of a component or stream, encoded. */
export function pathOf(compId: string, streamId?: string): string {
  const component = `/comp/${encodeURIComponent(compId)}`
  return streamId === undefined ? component : `${component}/stream/${encodeURIComponent(streamId)}`
}
