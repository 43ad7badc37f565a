/** Encodes bodies of Prometheus remote write, before they are compressed. */

export interface WrittenSeries {
  readonly labels: Readonly<Record<string, string>> | readonly (readonly [string, string])[]
  readonly samples: readonly (readonly [value: number | bigint, time: number])[]
  readonly histograms?: number
  /** Of version 2.0. */
  readonly metadata?: WrittenMetadata
}

interface WrittenMetadata {
  readonly type: string
  readonly help: string
  readonly unit: string
}

const TYPES = ['unknown', 'counter', 'gauge', 'histogram', 'gaugehistogram', 'summary']

function typeField(type: string): Buffer {
  return Buffer.from([0x08, TYPES.indexOf(type)])
}

/** A body of version 1.0 with metadata alone. */
export function writeMetadata1(
  metrics: readonly (WrittenMetadata & { readonly name: string })[],
): Buffer {
  const written = metrics.map(({ name, type, help, unit }) =>
    bytesField(3, typeField(type), bytesField(2, name), bytesField(4, help), bytesField(5, unit)),
  )
  return Buffer.concat(written)
}

function varint(value: number | bigint): Buffer {
  let rest = BigInt.asUintN(64, BigInt(value))
  const bytes: number[] = []
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
  return Buffer.from([...bytes, Number(rest)])
}

export function bytesField(field: number, ...parts: readonly (Buffer | string)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)))
  return Buffer.concat([varint((field << 3) | 2), varint(body.length), body])
}

/** A sample; a value that is a bigint holds the bits of a double. Zeros are left out, as encoders do. */
function sampleField(field: number, [value, time]: readonly [number | bigint, number]): Buffer {
  const double = Buffer.alloc(8)
  if (typeof value === 'bigint') double.writeBigUInt64LE(value)
  else double.writeDoubleLE(value)
  const parts = [
    ...(value === 0 ? [] : [Buffer.from([0x09]), double]),
    ...(time === 0 ? [] : [Buffer.from([0x10]), varint(time)]),
  ]
  return bytesField(field, ...parts)
}

function pairsOf({ labels }: WrittenSeries): (readonly [string, string])[] {
  return Array.isArray(labels) ? labels : Object.entries(labels)
}

/** A body of version 1.0. */
export function writeRequest1(series: readonly WrittenSeries[]): Buffer {
  const written = series.map((one) =>
    bytesField(
      1,
      ...pairsOf(one).map(([name, value]) =>
        bytesField(1, bytesField(1, name), ...(value === '' ? [] : [bytesField(2, value)])),
      ),
      ...one.samples.map((sample) => sampleField(2, sample)),
      ...Array.from({ length: one.histograms ?? 0 }, () => bytesField(4, '')),
    ),
  )
  return Buffer.concat(written)
}

/** A body of version 2.0. */
export function writeRequest2(series: readonly WrittenSeries[]): Buffer {
  const said = series.flatMap(({ metadata }) => [metadata?.help ?? '', metadata?.unit ?? ''])
  const symbols = [...new Set(['', ...series.flatMap((one) => pairsOf(one).flat()), ...said])]
  const metadataOf = ({ metadata }: WrittenSeries): Buffer[] => {
    if (metadata === undefined) return []
    const { type, help, unit } = metadata
    const help3 = [Buffer.from([0x18]), varint(symbols.indexOf(help))]
    const unit4 = [Buffer.from([0x20]), varint(symbols.indexOf(unit))]
    return [bytesField(5, typeField(type), ...help3, ...unit4)]
  }
  const written = series.map((one) => {
    const refs = pairsOf(one).flatMap((pair) => pair.map((text) => varint(symbols.indexOf(text))))
    return bytesField(
      5,
      bytesField(1, ...refs),
      ...one.samples.map((sample) => sampleField(2, sample)),
      ...Array.from({ length: one.histograms ?? 0 }, () => bytesField(3, '')),
      ...metadataOf(one),
    )
  })
  return Buffer.concat([...symbols.map((symbol) => bytesField(4, symbol)), ...written])
}

/** A Snappy block of literals alone, which every decoder accepts. */
export function packSnappy(bytes: Buffer): Buffer {
  const parts: Buffer[] = [varint(bytes.length)]
  for (let from = 0; from < bytes.length; from += 65_536) {
    const piece = bytes.subarray(from, from + 65_536)
    const length = piece.length - 1
    parts.push(Buffer.from([61 << 2, length & 0xff, length >> 8]), piece)
  }
  return Buffer.concat(parts)
}

export const REMOTE_WRITE_TYPES = {
  1: 'application/x-protobuf',
  2: 'application/x-protobuf;proto=io.prometheus.write.v2.Request',
} as const
