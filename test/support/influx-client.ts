import { FeedClient } from './feed-client.ts'
import type { Service } from './service.ts'

/** What a write came back with. */
export interface InfluxAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Writes line protocol to a service as clients of InfluxDB do. */
export class InfluxClient {
  readonly #service: Service
  readonly feed: FeedClient

  constructor(service: Service) {
    this.#service = service
    this.feed = new FeedClient(service)
  }

  /** POST /write with the feed key, times in milliseconds. */
  async write(lines: string | Buffer, query = 'db=x&precision=ms'): Promise<InfluxAnswer> {
    return await this.post(`/write?${query}`, lines)
  }

  async post(
    path: string,
    body: string | Buffer,
    headers: Record<string, string> = {},
  ): Promise<InfluxAnswer> {
    const authorization = `Token ${this.#service.feedKey}`
    return await this.call('POST', path, { body, headers: { authorization, ...headers } })
  }

  async call(method: string, path: string, init: RequestInit = {}): Promise<InfluxAnswer> {
    const answer = await fetch(`${this.#service.url}${path}`, { method, ...init })
    const { status, headers } = answer
    return { status, headers, text: await answer.text() }
  }
}
