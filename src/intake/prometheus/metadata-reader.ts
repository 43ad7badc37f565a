/** What bodies of remote write say of metrics beside their samples: type, help, and unit. */
import type { MetricMetadata } from '../../catalog/index.ts'
import { ProtoCursor, uint32At, WIRE_BYTES, WIRE_VARINT } from './proto-cursor.ts'
import type { SymbolTable } from './symbol-table.ts'

/** The types by their numbers, the same in both versions. */
const TYPES = [
  'unknown',
  'counter',
  'gauge',
  'histogram',
  'gaugehistogram',
  'summary',
  'info',
  'stateset',
] as const

/** The fields of `MetricMetadata` of version 1.0, and of `Metadata` of version 2.0. */
const TYPE = 1
const NAME_1 = 2
const HELP_1 = 4
const UNIT_1 = 5
const HELP_2 = 3
const UNIT_2 = 4

/** Metrics of one body. More are not read. */
const METRICS_MAX = 20_000

/** Series of one metric family differ in these endings of their names. */
const ENDINGS: Readonly<Record<string, RegExp>> = {
  histogram: /_(?:bucket|count|sum)$/,
  gaugehistogram: /_(?:bucket|gcount|gsum)$/,
  summary: /_(?:count|sum)$/,
}

/** Gathers the metadata of a body, each metric once. */
export class MetadataReader {
  readonly metrics: MetricMetadata[] = []
  readonly #bytes: Buffer
  readonly #fields: ProtoCursor
  readonly #seen = new Set<string>()
  /** Of version 2.0, the metadata that a name was seen with, by the numbers of their symbols. */
  readonly #seenRefs = new Map<number, string>()

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#fields = new ProtoCursor(bytes)
  }

  /** Reads a `MetricMetadata` of version 1.0. */
  read1(from: number, until: number): void {
    const fields = this.#fields
    const texts = { name: '', help: '', unit: '' }
    let type = 0
    fields.enter(from, until)
    while (fields.nextField()) {
      if (fields.field === TYPE && fields.wire === WIRE_VARINT) type = fields.int64()
      if (fields.wire !== WIRE_BYTES) continue
      const text = this.#bytes.toString('utf8', fields.from, fields.end)
      if (fields.field === NAME_1) texts.name = text
      else if (fields.field === HELP_1) texts.help = text
      else if (fields.field === UNIT_1) texts.unit = text
    }
    this.#add(type, texts)
  }

  /** Reads a `Metadata` of version 2.0, of a series whose name is a symbol. */
  read2(nameRef: number, { from, until }: { from: number; until: number }, symbols: SymbolTable) {
    const fields = this.#fields
    let [type, help, unit] = [0, 0, 0]
    fields.enter(from, until)
    while (fields.nextField()) {
      if (fields.wire !== WIRE_VARINT) continue
      if (fields.field === TYPE) type = fields.int64()
      else if (fields.field === HELP_2) help = uint32At(this.#bytes, fields.from)
      else if (fields.field === UNIT_2) unit = uint32At(this.#bytes, fields.from)
    }
    if (type === 0 && help === 0 && unit === 0) return
    const refs = `${type} ${help} ${unit}`
    if (this.#seenRefs.get(nameRef) === refs) return
    this.#seenRefs.set(nameRef, refs)
    const name = symbols.textOf(nameRef)
    this.#add(type, { name, help: symbols.textOf(help), unit: symbols.textOf(unit) })
  }

  #add(typeNumber: number, { name, help, unit }: Omit<MetricMetadata, 'type'>): void {
    const type = TYPES[typeNumber] ?? 'unknown'
    const ending = ENDINGS[type]
    const family = ending === undefined ? name : name.replace(ending, '')
    if (family === '' || this.metrics.length >= METRICS_MAX) return
    const key = JSON.stringify([family, type, help, unit])
    if (this.#seen.has(key)) return
    this.#seen.add(key)
    this.metrics.push({ name: family, type, help, unit })
  }
}
