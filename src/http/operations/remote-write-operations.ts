/** Prometheus remote write, versions 1.0 and 2.0. */
import type { Principal } from '../../access/index.ts'
import { type HeldMemory, type MemoryBudget, refuse, Type } from '../../base/index.ts'
import type { AddressRule } from '../../catalog/index.ts'
import {
  type DoorWriter,
  inflateSnappy,
  RemoteWriteReader,
  type RemoteWriteVersion,
  snappyLength,
} from '../../intake/index.ts'
import {
  remoteWriteAnswer,
  remoteWriteDialect,
  writtenHeaders,
} from '../door/remote-write-dialect.ts'
import { forDoors } from '../openapi/security-schemes.ts'
import type { Call } from '../table/call.ts'
import { type HttpOperation, httpOperation } from '../table/http-operation.ts'

interface RemoteWriteDeps {
  readonly budget: MemoryBudget
  readonly bodyBytesMax: number
  readonly doorWriter: DoorWriter
  readonly findRules: (principal: Principal) => Promise<readonly AddressRule[]>
}

/** All calls also exist below this path, for clients that want a path of their own. */
const PREFIX = '/prom'

const PROTOBUF = 'application/x-protobuf'
const MESSAGES: Readonly<Record<string, RemoteWriteVersion>> = {
  'prometheus.WriteRequest': 1,
  'io.prometheus.write.v2.Request': 2,
}

const writeBody = Type.String({
  format: 'binary',
  description: 'A WriteRequest or Request of Prometheus, compressed with Snappy',
  examples: ['(binary)'],
})

/** Writes of Prometheus and of agents that speak its protocol. */
export function remoteWriteOperations(deps: RemoteWriteDeps): HttpOperation[] {
  const { budget, bodyBytesMax, doorWriter, findRules } = deps
  const path = '/api/v1/write'
  const operation = httpOperation({
    name: 'putRemoteWrite',
    tag: 'remote_write',
    summary: 'Store samples of Prometheus remote write 1.0 or 2.0',
    consumes: [PROTOBUF],
    status: 204,
    answer: Type.Null({ description: 'All points are stored' }),
    security: forDoors,
    errors: 'text',
    methods: ['POST'],
    path,
    aliases: [`${PREFIX}${path}`],
    callers: 'feed',
    needs: 'PUT component/{uid}/feed',
    dialect: remoteWriteDialect,
    input: {
      kind: 'bytes',
      limitBytes: bodyBytesMax,
      // Snappy is left alone: its header has the length, which is checked before anything is inflated.
      encodingOf: () => undefined,
      isKept: true,
      schema: writeBody,
    },
    isHot: true,
    isCurrent: true,
    run: async (call: Call) => {
      doorWriter.requirePutter(call.principal)
      const version = readVersion(call.header('content-type'))
      const noteStored = (count: number) => {
        call.errorHeaders = writtenHeaders(version, count)
      }
      noteStored(0)
      requireSnappy(call.header('content-encoding'))
      const outcome = await call.withBytes((bytes, held) =>
        withInflated(bytes, { held, budget, bodyBytesMax }, async (inflated) => {
          let reader: RemoteWriteReader | undefined
          const outcome = await doorWriter.write({
            door: 'remote_write',
            openReader: (cache, bounds) => {
              reader = new RemoteWriteReader(inflated, cache, { ...bounds, version })
              return reader
            },
            isAllOrNone: false,
            share: held?.share,
            onStored: noteStored,
            renew: async () => call.renew(),
            findRules: () => findRules(call.principal),
          })
          await doorWriter.learnMetrics(call.principal, reader?.metrics ?? [])
          return outcome
        }),
      )
      return remoteWriteAnswer(outcome, version)
    },
  })
  return [operation]
}

function readVersion(contentType: string | undefined): RemoteWriteVersion {
  const [type, ...parameters] = (contentType ?? '').split(';').map((part) => part.trim())
  if (type.toLowerCase() === PROTOBUF) {
    const proto = parameters.find((part) => /^proto=/i.test(part))
    if (proto === undefined) return 1
    const name = proto.slice('proto='.length).replace(/^"(.*)"$/, '$1')
    if (Object.hasOwn(MESSAGES, name)) return MESSAGES[name]
  }
  const names = Object.keys(MESSAGES).map((name) => `${PROTOBUF};proto=${name}`)
  refuse('unsupported_media_type', { what: `Send Content-Type ${names.join(' or ')}` })
}

function requireSnappy(encoding: string | undefined): void {
  if (encoding?.trim().toLowerCase() === 'snappy') return
  refuse('unsupported_media_type', { what: 'Send the body with Content-Encoding: snappy' })
}

interface Inflation {
  readonly held: HeldMemory | undefined
  readonly budget: MemoryBudget
  readonly bodyBytesMax: number
}

/** Inflates a body within the memory budget and hands it to `use`. */
async function withInflated<T>(
  bytes: Buffer,
  { held, budget, bodyBytesMax }: Inflation,
  use: (inflated: Buffer) => Promise<T>,
): Promise<T> {
  const length = snappyLength(bytes)
  if (length > bodyBytesMax) refuse('body_too_large', { limitBytes: bodyBytesMax })
  const share = held?.share ?? (await budget.take(length))
  try {
    // The share of a long body grows, so that no two bodies wait for each other.
    if (held !== undefined) await share.resize(share.bytes + length)
    const inflated = await inflateSnappy(bytes)
    held?.freeBody()
    return await use(inflated)
  } finally {
    if (held === undefined) share.release()
  }
}
