/** Holds answers against the description of the API, so that what it promises is what comes. */
import assert from 'node:assert/strict'
import { Compile } from 'typebox/schema'

/** A description of which a test knows the shape. */
// biome-ignore lint/suspicious/noExplicitAny: descriptions are looked into at every depth.
type Json = any

/** An answer that came back from a service. */
export interface GivenAnswer {
  readonly method: string
  /** Path with or without query. */
  readonly path: string
  readonly status: number
  /** What the header says; null: nothing. */
  readonly contentType: string | null
  readonly text: string
}

interface Operation {
  readonly id: string
  readonly method: string
  readonly segments: readonly string[]
  readonly responses: Json
}

/** Errors that come before an operation is chosen, or from any. */
const COMMON = new Set([404, 405, 408, 431, 500, 503])

/** The description of a service, ready to hold answers against. */
export class DescribedAnswers {
  readonly #components: Json
  readonly #responses: Json
  readonly #operations: readonly Operation[]
  readonly #checks = new Map<string, (value: unknown) => string | undefined>()
  /** Operations of which a success was seen. */
  readonly seen = new Set<string>()

  constructor(description: Json) {
    this.#components = { schemas: closed(description.components.schemas) }
    this.#responses = description.components.responses
    this.#operations = Object.entries<Json>(description.paths).flatMap(([path, item]) =>
      Object.entries<Json>(item).map(([method, { operationId, responses }]) => {
        const segments = path.split('/')
        return { id: operationId, method: method.toUpperCase(), segments, responses }
      }),
    )
  }

  /** Reads the description of a service. */
  static async of(url: string): Promise<DescribedAnswers> {
    const answer = await fetch(`${url}/openapi.json`)
    assert.equal(answer.status, 200)
    return new DescribedAnswers(await answer.json())
  }

  /** Every operation there is. */
  get operationIds(): string[] {
    return this.#operations.map(({ id }) => id)
  }

  /** Fails unless the answer is one that the description of its operation allows. */
  check(answer: GivenAnswer): void {
    const operation = this.#find(answer)
    if (operation === undefined) return
    const { status, contentType, text } = answer
    const shown = `${operation.id} answered ${status} ${contentType}: ${text.slice(0, 400)}`
    const given = operation.responses[status]
    if (given === undefined && COMMON.has(status)) return
    assert.ok(given !== undefined, `${shown}\nThe description has no ${status}`)
    const response =
      given.$ref === undefined ? given : this.#responses[given.$ref.split('/').at(-1)]
    if (status < 300) this.seen.add(operation.id)
    if (text === '') return
    const type = contentType?.split(';')[0] ?? ''
    // A second type may be described in words, since two types would make clients worse.
    const isInWords = response.content?.[type] === undefined && response.description.includes(type)
    if (type !== '' && isInWords) return
    const media = response.content?.[type] ?? response.content?.['application/octet-stream']
    assert.ok(media !== undefined, `${shown}\nThe description has no ${type}`)
    if (type !== 'application/json' || response.content[type] === undefined) return
    const problem = this.#checkOf(`${operation.id} ${status}`, media.schema)(JSON.parse(text))
    assert.equal(problem, undefined, `${shown}\n${problem}`)
  }

  #find({ method, path }: GivenAnswer): Operation | undefined {
    const given = path.split('?')[0].split('/')
    const fits = this.#operations.filter(
      ({ method: own, segments }) =>
        own === method &&
        segments.length === given.length &&
        segments.every((segment, at) => segment.startsWith('{') || segment === given[at]),
    )
    // A name in a path is found before what may stand for it.
    const freedom = ({ segments }: Operation) =>
      segments.filter((segment) => segment.startsWith('{')).length
    return fits.sort((one, other) => freedom(one) - freedom(other))[0]
  }

  #checkOf(name: string, schema: Json): (value: unknown) => string | undefined {
    const known = this.#checks.get(name)
    if (known !== undefined) return known
    const validator = Compile({ components: this.#components, ...closed(schema) })
    const check = (value: unknown) => {
      if (validator.Check(value)) return undefined
      const [, errors] = validator.Errors(value)
      return JSON.stringify(errors.slice(0, 5), null, 1)
    }
    this.#checks.set(name, check)
    return check
  }
}

/** The schema without room for fields that it does not name: what is sent must be described. */
function closed(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const walked = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, closed(value)]),
  )
  const isObject = schema.type === 'object' && typeof schema.properties === 'object'
  return isObject && schema.additionalProperties === undefined
    ? { ...walked, additionalProperties: false }
    : walked
}

let describe: (() => Json) | undefined
let described: DescribedAnswers | undefined

/** Checks the responses of every call of a test file against the description that `make` returns. */
export function describeAnswersBy(make: () => Json): void {
  describe ??= make
}

/** Fails unless the answer is as described; a file without a service in its process checks nothing. */
export function checkDescribed(answer: GivenAnswer): void {
  if (describe === undefined) return
  described ??= new DescribedAnswers(JSON.parse(JSON.stringify(describe())))
  described.check(answer)
}
