import assert from 'node:assert/strict'
import { checkDescribed } from '../../support/described-answers.ts'

/** What a call answered, read once. */
export interface Answer {
  readonly status: number
  readonly text: string
  readonly headers: Headers
}

/** A caller of the API with an API key, as a device has it. */
export class Caller {
  readonly #base: string
  readonly #key: string

  constructor(base: string, key: string) {
    this.#base = base
    this.#key = key
  }

  async call(method: string, path: string, init: RequestInit = {}): Promise<Answer> {
    const glue = path.includes('?') ? '&' : '?'
    const url = `${this.#base}/api${path}${glue}api_key=${this.#key}`
    const response = await fetch(url, { method, ...init })
    const { status, headers } = response
    const text = await response.text()
    const contentType = headers.get('content-type')
    checkDescribed({ method, path: `/api${path}`, status, contentType, text })
    return { status, text, headers }
  }

  /** A feed PUT in the URL form that must be accepted. */
  async put(query: string): Promise<string> {
    return accepted(await this.call('PUT', `/feed?${query}`))
  }

  /** A feed PUT in the JSON form that must be accepted. */
  async putJson(samples: unknown, query = ''): Promise<string> {
    const init = { body: JSON.stringify(samples), headers: { 'content-type': 'application/json' } }
    return accepted(await this.call('PUT', `/feed?${query}`, init))
  }

  /** A GET that must be answered; its JSON. */
  async get<T = Record<string, unknown>[]>(path: string): Promise<T> {
    return JSON.parse(accepted(await this.call('GET', path))) as T
  }

  /** A call that must be refused with this status; the message of the envelope. */
  async refused(status: number, method: string, path: string, init?: RequestInit): Promise<string> {
    const answer = await this.call(method, path, init)
    assert.equal(answer.status, status, `${method} ${path}: ${answer.text}`)
    const envelope = JSON.parse(answer.text) as Record<string, unknown>
    assert.equal(envelope.success, false)
    assert.match(String(envelope.code), /^[a-z]+(_[a-z]+)*$/)
    assert.ok(String(envelope.message).length > 10, `a message that helps: ${answer.text}`)
    return String(envelope.message)
  }
}

function accepted(answer: Answer): string {
  assert.equal(answer.status, 200, answer.text)
  return answer.text
}
