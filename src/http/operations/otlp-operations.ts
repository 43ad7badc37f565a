/** Metrics of OpenTelemetry, over HTTP. */
import type { Principal } from '../../access/index.ts'
import { type HeldMemory, type MemoryBudget, refuse, Type } from '../../base/index.ts'
import type { AddressRule } from '../../catalog/index.ts'
import { type DoorWriter, OtlpReader, transcodeJson } from '../../intake/index.ts'
import {
  OTLP_TYPES,
  type OtlpEncoding,
  otlpAnswer,
  otlpDialect,
  otlpEncoding,
} from '../door/otlp-dialect.ts'
import { forDoors } from '../openapi/security-schemes.ts'
import type { Call } from '../table/call.ts'
import { type HttpOperation, httpOperation } from '../table/http-operation.ts'

interface OtlpDeps {
  readonly budget: MemoryBudget
  readonly bodyBytesMax: number
  readonly doorWriter: DoorWriter
  readonly findRules: (principal: Principal) => Promise<readonly AddressRule[]>
}

/** Paths for exporters, and those at which Prometheus-like services take the same bodies. */
const PATHS = ['/v1/metrics', '/otlp/v1/metrics', '/api/v1/otlp/v1/metrics'] as const

/** The bytes of a body are limited, its lists are not, so the description leaves them out. */
const metricsBody = Type.Object(
  {},
  {
    title: 'OtlpMetrics',
    description: 'An ExportMetricsServiceRequest, as protobuf or JSON, plain or compressed',
    additionalProperties: true,
    examples: [
      {
        resourceMetrics: [
          {
            resource: {
              attributes: [{ key: 'service.name', value: { stringValue: 'greenhouse' } }],
            },
            scopeMetrics: [
              {
                metrics: [
                  {
                    name: 'temperature',
                    unit: 'Cel',
                    gauge: {
                      dataPoints: [{ timeUnixNano: '1767225600000000000', asDouble: 21.5 }],
                    },
                  },
                ],
              },
            ],
          },
        ],
      },
    ],
  },
)

const partialSuccess = Type.Object({
  rejectedDataPoints: Type.Optional(Type.String({ description: 'Number of rejected points' })),
  errorMessage: Type.Optional(Type.String({ description: 'The first reasons' })),
})

const metricsAnswer = Type.Object(
  { partialSuccess: Type.Optional(partialSuccess) },
  {
    title: 'OtlpStored',
    description: 'Everything is stored, but for the rejected points',
    examples: [{ partialSuccess: { rejectedDataPoints: '1', errorMessage: 'load{}: …' } }],
  },
)

/** Writes of exporters and collectors of OpenTelemetry. */
export function otlpOperations(deps: OtlpDeps): HttpOperation[] {
  const { budget, bodyBytesMax, doorWriter, findRules } = deps
  const [path, ...aliases] = PATHS
  const types = Object.values(OTLP_TYPES)
  const operation = httpOperation({
    name: 'putOtlpMetrics',
    tag: 'opentelemetry',
    summary: 'Store metrics of OpenTelemetry',
    consumes: types,
    produces: types,
    answer: metricsAnswer,
    security: forDoors,
    errors: 'rpc',
    methods: ['POST'],
    path,
    aliases,
    callers: 'feed',
    needs: 'PUT component/{uid}/feed',
    dialect: otlpDialect,
    input: { kind: 'bytes', limitBytes: bodyBytesMax, isKept: true, schema: metricsBody },
    isHot: true,
    isCurrent: true,
    run: async (call: Call) => {
      doorWriter.requirePutter(call.principal)
      const encoding = requireEncoding(call.header('content-type'))
      const outcome = await call.withBytes((bytes, held) =>
        withProtobuf(bytes, { held, budget, encoding }, (metrics, share) =>
          doorWriter.write({
            door: 'otlp',
            openReader: (cache, bounds) => new OtlpReader(metrics, cache, bounds),
            isAllOrNone: false,
            share,
            renew: async () => call.renew(),
            findRules: () => findRules(call.principal),
          }),
        ),
      )
      return otlpAnswer(outcome, encoding)
    },
  })
  return [operation]
}

function requireEncoding(contentType: string | undefined): OtlpEncoding {
  const encoding = otlpEncoding(contentType)
  if (encoding !== undefined) return encoding
  const types = Object.values(OTLP_TYPES).join(' or ')
  refuse('unsupported_media_type', { what: `Send Content-Type ${types}` })
}

interface Transcoding {
  readonly held: HeldMemory | undefined
  readonly budget: MemoryBudget
  readonly encoding: OtlpEncoding
}

/** Hands a body to `use` as protobuf, within the memory budget. */
async function withProtobuf<T>(
  bytes: Buffer,
  { held, budget, encoding }: Transcoding,
  use: (metrics: Buffer, share: HeldMemory['share'] | undefined) => Promise<T>,
): Promise<T> {
  if (encoding === 'protobuf') return use(bytes, held?.share)
  const share = held?.share ?? (await budget.take(bytes.length))
  try {
    const metrics = await transcodeJson(bytes, share)
    held?.freeBody()
    return await use(metrics, share)
  } finally {
    if (held === undefined) share.release()
  }
}
