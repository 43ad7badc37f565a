/** A running Weir: written by line protocol, read by its feed. */
import { refuse } from '../base/index.ts'
import { callServer, readBody, Unreachable, untilAnswered } from './call-server.ts'
import { urlBelow } from './influx-source.ts'
import type { Value } from './value-digest.ts'

/** Of an answer of Weir. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024

/** A line that was rejected, or a point of it. */
interface RejectedLine {
  /** Its number in the body, from 1. */
  readonly line: number
  readonly reason: string
}

/** Writes to a running Weir, and reads back. */
export class WeirTarget {
  readonly #url: URL
  readonly #headers: Readonly<Record<string, string>>

  constructor(url: URL, key: string) {
    this.#url = url
    this.#headers = { 'X-Api-Key': key }
  }

  /** Refuses what is not Weir, and a key that may not put and get samples. */
  async check(): Promise<void> {
    const answer = await this.#call('api/v3/write_lp', { method: 'POST', body: '' })
    if (answer.status !== 204) await this.#refuse(answer)
    const series = JSON.stringify({ __name__: 'weir migrate' })
    const found = await this.#call(`api/door/stream?series=${encodeURIComponent(series)}`)
    if (found.status !== 200 && found.status !== 404) await this.#refuse(found)
  }

  /** Stores lines with times in nanoseconds; the ones that were rejected. */
  async write(lines: string): Promise<readonly RejectedLine[]> {
    const body = Buffer.from(lines)
    return await untilAnswered(async () => {
      const path = 'api/v3/write_lp?precision=nanosecond'
      const answer = await this.#call(path, { method: 'POST', body })
      if (answer.status === 204) return []
      if (answer.status !== 400) await this.#refuse(answer)
      const { data } = (await readJson(answer)) as { readonly data?: readonly RefusedPoint[] }
      if (data === undefined) refuse('bad_input', { what: 'Weir rejected a write' })
      return data.map(({ line_number: line, error_message: reason }) => ({ line, reason }))
    })
  }

  /** The samples of a series in a range, latest first; undefined if there is no such stream. */
  async *samples(
    series: Readonly<Record<string, string>>,
    range: { readonly from: number; readonly until: number },
  ): AsyncGenerator<readonly [time: number, value: Value]> {
    const named = `api/door/stream?series=${encodeURIComponent(JSON.stringify(series))}`
    const found = await untilAnswered(() => this.#get(named))
    if (found === undefined) return
    const { component, stream } = found.body as { component: Place; stream: Place }
    const { from, until } = range
    const feed = `api/component/${component.uid}/stream/${stream.uid}/feed`
    let next: string | undefined = `${feed}?sd=${from}&ed=${until}&limit=1000`
    while (next !== undefined) {
      const path: string = next
      const page = await untilAnswered(() => this.#get(path))
      if (page === undefined) return
      for (const { time, data } of page.body as readonly Sample[]) yield [time, data]
      next = page.next
    }
  }

  /** Undefined where nothing is found. */
  async #get(path: string): Promise<{ body: unknown; next: string | undefined } | undefined> {
    const answer = await this.#call(path)
    if (answer.status === 404) return undefined
    if (answer.status !== 200) await this.#refuse(answer)
    const link = answer.headers.get('link') ?? ''
    const body = await readJson(answer)
    if (!link.endsWith('>; rel="next"')) return { body, next: undefined }
    return { body, next: link.slice(link.indexOf('/api/') + 1, link.lastIndexOf('>')) }
  }

  #call(path: string, init: RequestInit = {}): Promise<Response> {
    return callServer(urlBelow(this.#url, path), { ...init, headers: this.#headers })
  }

  async #refuse(answer: Response): Promise<never> {
    const text = await readBody(answer, ANSWER_BYTES_MAX)
    const shown = (text ?? '').slice(0, 300)
    const hint =
      answer.status === 401 || answer.status === 403
        ? '. The key in WEIR_KEY needs GET and PUT on component/*/feed'
        : ''
    refuse('bad_input', {
      what: `Weir at ${this.#url.origin} answered ${answer.status}: ${shown}${hint}`,
    })
  }
}

interface RefusedPoint {
  readonly line_number: number
  readonly error_message: string
}

interface Place {
  readonly uid: string
}

interface Sample {
  readonly time: number
  readonly data: Value
}

async function readJson(answer: Response): Promise<unknown> {
  const text = await readBody(answer, ANSWER_BYTES_MAX)
  try {
    return JSON.parse(text ?? '')
  } catch (error) {
    throw new Unreachable('Weir answered something else than JSON', { cause: error })
  }
}
