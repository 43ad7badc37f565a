/** A database of a running InfluxDB 1.x, read by InfluxQL. */
import { refuse } from '../base/index.ts'
import { callServer, readBody, untilAnswered } from './call-server.ts'

/** What one answer may take in memory. */
const ANSWER_BYTES_MAX = 32 * 1024 * 1024
/** Series that are listed at once. */
const SERIES_PER_PAGE = 5_000

/** A cell of an answer. */
export type Cell = string | number | boolean | null

interface Result {
  readonly error?: string
  readonly partial?: boolean
  readonly series?: readonly { readonly values?: readonly (readonly Cell[])[] }[]
}

/** Rows of a statement, and whether the server has left some out. */
interface Rows {
  readonly rows: readonly (readonly Cell[])[]
  readonly isPartial: boolean
}

/** A field of a measurement. One field may have several types, in different shards. */
export interface FieldColumn {
  readonly name: string
  readonly type: string
}

/** An answer that takes more memory than it may. */
export class AnswerTooLong extends Error {}

/** Where a database is, and who reads it. */
interface InfluxPlace {
  readonly url: URL
  readonly database: string
  readonly user: string
  readonly password: string
}

/** Reads a database of InfluxDB. */
export class InfluxSource {
  readonly #place: InfluxPlace

  constructor(place: InfluxPlace) {
    this.#place = place
  }

  /** Refuses a server of another version, wrong credentials, and an unknown database; the version. */
  async check(): Promise<string> {
    const { url, database } = this.#place
    const answer = await callServer(urlBelow(url, 'ping'), {})
    const version = answer.headers.get('x-influxdb-version') ?? ''
    if (!/^v?1\.\d/.test(version)) {
      const shown = version === '' ? 'it names no version' : `it is version ${version}`
      refuse('bad_input', { what: `${url.origin} is no InfluxDB 1.x: ${shown}` })
    }
    const names = firstColumn(await this.#ask('SHOW DATABASES'))
    if (names.includes(database)) return version
    const known = names.slice(0, 20).join(', ') || 'none'
    refuse('not_found', {
      what: `InfluxDB has no database "${database}" that this user may read. Databases: ${known}`,
    })
  }

  /** The retention policies, the default one last. */
  async policies(): Promise<string[]> {
    const { rows } = await this.#untilAnswered(`SHOW RETENTION POLICIES ON ${this.#databaseName()}`)
    return rows.toSorted((a, b) => Number(a[4]) - Number(b[4])).map(([name]) => String(name))
  }

  async measurements(): Promise<string[]> {
    return firstColumn(await this.#untilAnswered(`SHOW MEASUREMENTS ON ${this.#databaseName()}`))
  }

  /** The fields of a measurement in some retention policies, of which each knows its own alone. */
  async fields(measurement: string, policies: readonly string[]): Promise<FieldColumn[]> {
    const columns = new Map<string, FieldColumn>()
    for (const policy of policies) {
      const from = `${quoteName(policy)}.${quoteName(measurement)}`
      const { rows } = await this.#untilAnswered(this.#show('FIELD KEYS', from))
      for (const [name, type] of rows) {
        columns.set(`${type} ${name}`, { name: String(name), type: String(type) })
      }
    }
    return [...columns.values()]
  }

  async tagKeys(measurement: string): Promise<string[]> {
    return firstColumn(await this.#untilAnswered(this.#show('TAG KEYS', quoteName(measurement))))
  }

  /** The keys of all series of a measurement, written as in line protocol. */
  async *series(measurement: string): AsyncGenerator<string> {
    for (let offset = 0; ; offset += SERIES_PER_PAGE) {
      const statement = this.#show('SERIES', quoteName(measurement))
      const page = `LIMIT ${SERIES_PER_PAGE} OFFSET ${offset}`
      const keys = firstColumn(await this.#untilAnswered(`${statement} ${page}`))
      yield* keys
      if (keys.length < SERIES_PER_PAGE) return
    }
  }

  /** Runs a SELECT. Throws `AnswerTooLong`. */
  async select(statement: string): Promise<Rows> {
    return await this.#untilAnswered(statement)
  }

  #show(what: string, from: string): string {
    return `SHOW ${what} ON ${this.#databaseName()} FROM ${from}`
  }

  #databaseName(): string {
    return quoteName(this.#place.database)
  }

  #untilAnswered(statement: string): Promise<Rows> {
    return untilAnswered(() => this.#ask(statement))
  }

  async #ask(statement: string): Promise<Rows> {
    const { url, database, user, password } = this.#place
    const headers: Record<string, string> = {}
    if (user !== '') {
      const pair = Buffer.from(`${user}:${password}`).toString('base64')
      headers.Authorization = `Basic ${pair}`
    }
    const body = new URLSearchParams({ db: database, q: statement })
    const answer = await callServer(urlBelow(url, 'query'), { method: 'POST', headers, body })
    const text = await readBody(answer, ANSWER_BYTES_MAX)
    if (text === undefined) throw new AnswerTooLong(`an answer of ${url.origin} is too long`)
    if (answer.status === 401 || answer.status === 403) {
      const what = `InfluxDB rejected the credentials: ${text.trim().slice(0, 200)}. Set --user and INFLUX_PASSWORD`
      refuse('bad_input', { what })
    }
    return rowsOf(text, url.origin)
  }
}

function rowsOf(text: string, origin: string): Rows {
  let answer: { readonly results?: readonly Result[]; readonly error?: string }
  try {
    answer = JSON.parse(text)
  } catch {
    refuse('bad_input', { what: `${origin} does not answer as InfluxDB: ${text.slice(0, 200)}` })
  }
  const [result = {}] = answer.results ?? []
  const error = answer.error ?? result.error
  if (error !== undefined) refuse('bad_input', { what: `InfluxDB reported: ${error}` })
  const rows = (result.series ?? []).flatMap(({ values = [] }) => values)
  return { rows, isPartial: result.partial === true }
}

function firstColumn({ rows }: Rows): string[] {
  return rows.map(([first]) => String(first))
}

/** A path below a URL, which may have a path itself. */
export function urlBelow(url: URL, path: string): URL {
  return new URL(path, url.href.endsWith('/') ? url : `${url.href}/`)
}

/** A name as InfluxQL writes it. */
export function quoteName(name: string): string {
  return `"${escaped(name).replaceAll('"', '\\"')}"`
}

/** A text as InfluxQL writes it. */
export function quoteText(text: string): string {
  return `'${escaped(text).replaceAll("'", "\\'")}'`
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
}
