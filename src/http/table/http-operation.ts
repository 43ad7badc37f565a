/**
 * One entry per call of the service. Router, admission, limits, metrics, errors, and the API description
 * read these entries; they appear nowhere else.
 */
import type { Static, TSchema } from 'typebox'
import type { Method } from '../../access/index.ts'
import { ADMIN_BODY_BYTES_MAX } from '../../base/index.ts'
import type { RequestHead } from '../transport/exchange.ts'
import type { BodyForm } from '../transport/read-whole-body.ts'
import type { Call } from './call.ts'
import { type Dialect, weirDialect } from './dialect.ts'

/** The methods that calls are served by; a GET is served as HEAD too, unless its entry says otherwise. */
type CallMethod = Method | 'OPTIONS'

/** What a call brings, how its body is read, and at most how much of it. */
type Input<Body> =
  | { readonly kind: 'none'; readonly schema?: undefined; readonly body?: Body }
  | {
      /** Parsed. An empty body is undefined. */
      readonly kind: 'json'
      readonly limitBytes: number
      /** Describes the body; where `isChecked` is not set, `run` checks it. */
      readonly schema: TSchema | undefined
      /** Whether a body is JSON whatever its type says: devices send what their library does. */
      readonly takesAnyType: boolean
      readonly isChecked: false
      readonly body?: Body
    }
  | {
      /** Parsed and checked against the schema. */
      readonly kind: 'json'
      readonly limitBytes: number
      readonly schema: TSchema
      readonly takesAnyType: boolean
      readonly isChecked: true
      readonly body?: Body
    }
  | {
      /** A form, or JSON, as the text that it is. */
      readonly kind: 'text'
      readonly limitBytes: number
      /** Types that are taken, lower case; undefined: all of them. */
      readonly types: readonly string[] | undefined
      readonly schema: TSchema | undefined
      readonly body?: Body
    }
  | (BodyForm & {
      /** Read by `call.withBytes`, inflated. */
      readonly kind: 'bytes'
      /** Whether the bytes are read after a wait: then they do not stay in memory of the connection. */
      readonly isKept?: boolean
      readonly schema: TSchema | undefined
      readonly body?: Body
    })
  | {
      /** Left in the connection until `run` reads it by `call.exchange`, for instance to disk. */
      readonly kind: 'stream'
      readonly schema: TSchema | undefined
      readonly body?: Body
    }

/** A body of JSON that `run` checks; the schema describes it. */
export function json(
  schema?: TSchema,
  options: { readonly takesAnyType?: boolean } = {},
): Input<unknown> {
  return {
    kind: 'json',
    limitBytes: ADMIN_BODY_BYTES_MAX,
    schema,
    isChecked: false,
    takesAnyType: options.takesAnyType ?? false,
  }
}

/** A JSON body that is checked against its schema before `run`. */
export function checkedJson<S extends TSchema>(
  schema: S,
  limitBytes = ADMIN_BODY_BYTES_MAX,
): Input<Static<S>> {
  return { kind: 'json', limitBytes, schema, isChecked: true, takesAnyType: false }
}

/**
 * Who may call, and what the call counts as for rate limits: `admin` and `feed` count so, `uncounted` calls
 * need a credential all the same, and `anyone` is not asked.
 */
export type Callers = 'admin' | 'feed' | 'uncounted' | 'anyone'

/** What an operation says of itself in the description. */
interface Description {
  /** Absent operations are not described. */
  readonly name?: string
  readonly tag?: string
  readonly summary?: string
  /** The parameters in the path, in the query, and the headers. */
  readonly ids?: TSchema
  readonly query?: TSchema
  readonly headers?: TSchema
  /** What a success answers: a schema, or a response of the description. */
  readonly answer?: object
  /** The same by status, where a success has several. */
  readonly answers?: Readonly<Record<number, object>>
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  /** The statuses of errors where they are not the usual ones, or the protocol in whose form errors are written. */
  readonly errors?: readonly number[] | 'oauth' | 'influx' | 'text' | 'rpc' | 'prometheus'
  /** Media types of body and answer where these are not JSON. */
  readonly consumes?: readonly string[]
  readonly produces?: readonly string[]
  /** Whether the body may be left out. */
  readonly isBodyOptional?: boolean
}

/** What a head names. */
export interface CallTarget {
  readonly method: string
  readonly head: RequestHead
  readonly ids: Readonly<Record<string, string>>
  readonly queryText: string
}

/** What an operation is made of; all but path, methods, callers, and run has a default. */
interface Entry<Body, Target> extends Description {
  readonly methods: readonly CallMethod[]
  /** With `:name` for an ID, and `*` at the end for any rest. */
  readonly path: string
  /** Other paths of the same call. */
  readonly aliases?: readonly string[]
  readonly callers: Callers
  /** The capability that a call needs, such as `GET api_key/{uid}`; `run` checks it. */
  readonly needs?: `${Method} ${string}`
  readonly input?: Input<Body>
  /**
   * `value`: a whole answer; `stream`: one that is sent as it comes; `events`: one without end, written by `run`.
   */
  readonly output?: 'value' | 'stream' | 'events'
  readonly dialect?: Dialect
  /** Whether a call changes something, which pages of other sites may not do; by default by its method. */
  readonly isWrite?: boolean
  /** Whether a GET is served as HEAD. */
  readonly hasHead?: boolean
  /** Whether calls are frequent enough to bypass Node's HTTP parser where that is possible. */
  readonly isHot?: boolean
  /** Whether a call follows by itself what other processes commit, or needs none of it. */
  readonly isCurrent?: boolean
  /** Whether people open the path, and no program asks for it. */
  readonly isPage?: boolean
  /** The target that a request means instead, by its headers: browsers and programs may share a path. */
  readonly meantTarget?: (head: RequestHead) => string | undefined
  /** What is said of an ID in the path that cannot be decoded. */
  readonly undecodable?: (name: string) => string
  /** The methods to use where `run` refuses that of the call. */
  readonly allow?: string
  /** The status of a success. */
  readonly status?: number
  /** Whether nobody on the way may keep the answer, or an error of `run` in its place. */
  readonly isSecret?: boolean
  /** What errors of `run` are answered with beside their own headers. */
  readonly errorHeaders?: Readonly<Record<string, string>>
  /** Reads what method, path and query name, before anybody is asked who calls; kept as `call.target`. */
  readonly readTarget?: (target: CallTarget) => Target
  /** Does what the call asks for; answers a value, bytes of JSON, or an Answer. */
  readonly run: (call: Call<Body, Target>) => unknown
}

/** One call of the service. */
export interface HttpOperation extends Description {
  readonly methods: readonly string[]
  readonly path: string
  readonly aliases: readonly string[]
  readonly callers: Callers
  readonly needs: string | undefined
  readonly input: Input<unknown>
  readonly output: 'value' | 'stream' | 'events'
  readonly dialect: Dialect
  readonly isWrite: boolean
  readonly isHot: boolean
  readonly isCurrent: boolean
  readonly isPage: boolean
  readonly meantTarget?: (head: RequestHead) => string | undefined
  readonly undecodable?: (name: string) => string
  readonly allow?: string
  readonly status: number
  readonly isSecret: boolean
  readonly errorHeaders: Readonly<Record<string, string>>
  readonly readTarget: ((target: CallTarget) => unknown) | undefined
  readonly run: (call: Call<never, never>) => unknown
}

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

const NO_HEADERS = {}
/** Nobody on the way keeps the answer. */
const NO_STORE = { 'Cache-Control': 'no-store' }
const NO_INPUT: Input<never> = { kind: 'none' }

/** An entry of the table. */
export function httpOperation<Body = unknown, Target = undefined>(
  entry: Entry<Body, Target>,
): HttpOperation {
  const { methods, hasHead = true } = entry
  const isReading = methods.every((method) => READING.has(method))
  const isHeadToo = hasHead && methods.includes('GET')
  return {
    ...entry,
    methods: isHeadToo ? [...methods, 'HEAD'] : methods,
    aliases: entry.aliases ?? [],
    needs: entry.needs,
    input: entry.input ?? (isReading ? NO_INPUT : json()),
    output: entry.output ?? 'value',
    dialect: entry.dialect ?? weirDialect,
    isWrite: entry.isWrite ?? !isReading,
    isHot: entry.isHot ?? false,
    isCurrent: entry.isCurrent ?? !entry.path.startsWith('/api/'),
    isPage: entry.isPage ?? false,
    status: entry.status ?? 200,
    isSecret: entry.isSecret ?? false,
    errorHeaders: entry.errorHeaders ?? (entry.isSecret === true ? NO_STORE : NO_HEADERS),
    readTarget: entry.readTarget,
    run: entry.run,
  }
}
