import assert from 'node:assert/strict'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import type { Service } from './service.ts'

/** An event as a browser would see it. */
export interface LiveEvent {
  readonly event: string
  // biome-ignore lint/suspicious/noExplicitAny: events of every shape are looked into.
  readonly data: any
  readonly id: string
}

/** A connection to GET /api/live that reads events as they come. */
export class LiveClient {
  readonly response: IncomingMessage
  readonly events: LiveEvent[] = []
  /** The cursor that was received last. */
  lastEventId = ''
  isEnded = false
  bytes = 0
  readonly #request: ClientRequest
  #text = ''
  #wake: () => void = () => {}

  constructor(sent: ClientRequest, response: IncomingMessage) {
    this.#request = sent
    this.response = response
    response.setEncoding('utf8')
    response.on('data', (text: string) => this.#take(text))
    const end = () => {
      this.isEnded = true
      this.#wake()
    }
    response.on('end', end).on('close', end).on('error', end)
  }

  get status(): number {
    return this.response.statusCode ?? 0
  }

  /** Takes the events that have come and come until one is as asked; fails when the connection ends first. */
  async until(isWanted: (event: LiveEvent) => boolean): Promise<LiveEvent> {
    for (;;) {
      for (let event = this.events.shift(); event !== undefined; event = this.events.shift()) {
        if (isWanted(event)) return event
      }
      assert.ok(!this.isEnded, `the connection ended: ${this.#text}`)
      await this.#more()
    }
  }

  /** The next event of a name. */
  next(name: string): Promise<LiveEvent> {
    return this.until(({ event }) => event === name)
  }

  /** Time and data of the next event "sample". */
  async sample(): Promise<[number, unknown]> {
    const { data } = await this.next('sample')
    return [data.time, data.data]
  }

  /** Resolves when a cursor was received: then the initial state is complete. */
  async ready(): Promise<this> {
    while (this.lastEventId === '') {
      assert.ok(!this.isEnded, `the connection ended: ${this.#text}`)
      await this.#more()
    }
    return this
  }

  /** The text of an answer that ends. */
  async ended(): Promise<string> {
    while (!this.isEnded) await this.#more()
    return this.#text
  }

  close(): void {
    this.#request.destroy()
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  #take(text: string): void {
    this.bytes += text.length
    this.#text += text
    for (let end = this.#text.indexOf('\n\n'); end >= 0; end = this.#text.indexOf('\n\n')) {
      this.#dispatch(this.#text.slice(0, end))
      this.#text = this.#text.slice(end + 2)
    }
    this.#wake()
  }

  #dispatch(block: string): void {
    let [event, data] = ['message', '']
    for (const line of block.split('\n')) {
      if (line.startsWith('event: ')) event = line.slice(7)
      if (line.startsWith('data: ')) data = line.slice(6)
      if (line.startsWith('id: ')) this.lastEventId = line.slice(4)
    }
    if (data !== '') this.events.push({ event, data: JSON.parse(data), id: this.lastEventId })
  }
}

/** Connects to /api/live with the service's feed key, unless the headers bring another credential. */
export function openLiveClient(
  service: Pick<Service, 'url' | 'feedKey'>,
  query: string,
  headers: Readonly<Record<string, string>> = { 'X-Api-Key': service.feedKey },
): Promise<LiveClient> {
  return new Promise((resolve, reject) => {
    const sent = request(`${service.url}/api/live?${query}`, { headers, agent: false })
    sent.once('response', (response) => resolve(new LiveClient(sent, response)))
    sent.once('error', reject)
    sent.end()
  })
}
