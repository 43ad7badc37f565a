/** A row of table `stream`, and the stream in it. */
import { hash } from 'node:crypto'
import { countedUidOf } from '../../../../base/plain.ts'
import { definitionOfType, jsonOrNull } from '../../../fields/packed-fields.ts'
import { pairsText, sortedPairs } from '../../../fields/unique-texts.ts'
import { CatalogDamaged } from '../../../ports/catalog-port.ts'
import type { Labels, StoredStream, StreamFields } from '../../../ports/component-port.ts'
import type { JsonObject } from '../../../ports/document-key.ts'
import type { StreamHandle } from '../../../ports/sample-port.ts'
import { numberedName } from './component-row.ts'
import { addField, addNumber, CHECK_START, endCheck } from './row-check.ts'
import type { TextTable } from './text-table.ts'
import { uidOfHex } from './uid-bytes.ts'

/** The columns of a row, in the order in which they are inserted. */
export const STREAM_COLUMNS = [
  'component',
  'ordinal',
  'handle',
  'id',
  'type',
  'place',
  'grid',
  'uid',
  'crc',
  'revision',
  'name',
  'labels',
  'series',
  'series_hash',
  'more',
  'rest_crc',
] as const

/** The columns of a row in which most streams have something. */
export const PLAIN_STREAM_COLUMNS = ['component', 'ordinal', 'handle', 'id', 'type', 'crc'] as const

/** A UID as StoredStreamRow has it: damage can turn bytes into a text, which no search for bytes finds. */
export const UID_DIGITS = `CASE typeof(uid) WHEN 'blob' THEN lower(hex(uid)) WHEN 'null' THEN NULL ELSE '' END`

/** The columns as StoredStreamRow has them. */
export const SELECTED_STREAM = STREAM_COLUMNS.map((name) =>
  name === 'uid' ? `${UID_DIGITS} AS uid` : name,
).join(', ')

/** What a start reads of a row. All other columns have a checksum of their own, so that it need not read them. */
export interface StreamKey {
  /** The number of its component's row. */
  readonly component: number
  /** By which its UID is counted from that of its component; above 2^24 when it is not. */
  readonly ordinal: number
  readonly handle: number
  /** Null for none. */
  readonly id: string | null
  /** See typeOf(). */
  readonly type: number
  /** In the definition order; null for one less than the ordinal. */
  readonly place: number | null
  /** The number of the text, null for none. */
  readonly grid: number | null
  /** 32 lower-case hex digits; null when it is counted. */
  readonly uid: string | null
}

/** The other columns; all are null for most streams, and so is their checksum. */
export interface StreamRest {
  /** Null for 1. */
  readonly revision: number | null
  /** Null for the ID. */
  readonly name: string | null
  /** See packLabels(); null for none. */
  readonly labels: string | null
  /** As `labels`, or SAME where it is equal to these. */
  readonly series: string | null
  /** By which an index finds the series. */
  readonly series_hash: number | null
  readonly more: string | null
}

/** A row as a statement gives it, the UID in hex digits. */
export interface StoredStreamRow extends StreamKey, StreamRest {
  readonly crc: number
  readonly rest_crc: number | null
}

/** The checksum of what a start reads. */
export function checkOfStreamKey(key: StreamKey): number {
  let check = addNumber(addNumber(CHECK_START, key.component), key.ordinal)
  check = addField(addNumber(check, key.handle), key.id)
  check = addField(addField(addField(check, key.type), key.place), key.grid)
  return endCheck(addField(check, key.uid))
}

/** The checksum of the other columns, null when all of them are. */
export function checkOfStreamRest(handle: number, rest: StreamRest): number | null {
  const { revision, name, labels, series, series_hash, more } = rest
  const fields = [revision, name, labels, series, series_hash, more]
  if (fields.every((field) => field === null)) return null
  let check = addNumber(CHECK_START, handle)
  for (const field of fields) check = addField(check, field)
  return endCheck(check)
}

/** The other columns of a stream. */
export function streamRest(
  fields: Pick<StreamFields, 'id' | 'name' | 'labels' | 'series' | 'more'>,
  revision: number,
  texts: TextTable,
): StreamRest {
  const { id, name, labels, series, more } = fields
  return {
    revision: revision === 1 ? null : revision,
    name: name === id ? null : name.toWellFormed(),
    ...packLabelsAndSeries(labels, series, texts),
    more: jsonOrNull(more),
  }
}

/** Between the name of a label and its text; before the JSON of both where the name is empty or holds it. */
const LABEL_SEPARATOR = '\0'
/** Between packed labels, and between the number of a name and the text behind it. */
const NEXT_LABEL = ' '
const OWN_TEXT = '='
/** Longer texts have a number, also those of one stream alone. */
const OWN_TEXT_LENGTH_MAX = 40

/** In the place of a series that is equal to the labels. */
export const SAME = '='
const HASH_DIGITS = 12

/** By which a series is found: the first bytes of a SHA-256, which two series may share. */
export function hashOfSeriesText(text: string): number {
  return Number.parseInt(hash('sha256', text, 'hex').slice(0, HASH_DIGITS), 16)
}

/** Labels and series as columns hold them. */
function packLabelsAndSeries(
  labels: Labels | undefined,
  series: Labels | undefined,
  texts: TextTable,
): Pick<StreamRest, 'labels' | 'series' | 'series_hash'> {
  // Equal labels must be packed alike, though a text has a number from its second use on.
  const packed = labels === series ? undefined : new Map<string, string>()
  const pairs = labels && sortedPairs(labels)
  const packedLabels = pairs === undefined ? null : packLabels(pairs, texts, packed)
  if (series === undefined) return { labels: packedLabels, series: null, series_hash: null }
  const seriesPairs = labels === series && pairs ? pairs : sortedPairs(series)
  const packedSeries = packed === undefined ? packedLabels : packLabels(seriesPairs, texts, packed)
  return {
    labels: packedLabels,
    series: packedSeries === packedLabels ? SAME : packedSeries,
    series_hash: hashOfSeriesText(pairsText(seriesPairs)),
  }
}

/** Each label as the number of its text, or as the number of its name and its value: see docs/format/catalog-db.md. */
function packLabels(
  pairs: ReturnType<typeof sortedPairs>,
  texts: TextTable,
  packed: Map<string, string> | undefined,
): string {
  let all = ''
  for (const pair of pairs) {
    const text = packPair(pair)
    const one = packed?.get(text) ?? packLabel(pair, text, texts)
    packed?.set(text, one)
    all += all === '' ? one : NEXT_LABEL + one
  }
  return all
}

function packLabel(
  [name, value]: readonly [name: string, value: string],
  text: string,
  texts: TextTable,
): string {
  const isOwn =
    value.length <= OWN_TEXT_LENGTH_MAX &&
    !text.startsWith(LABEL_SEPARATOR) &&
    !value.includes(NEXT_LABEL) &&
    !value.includes(LABEL_SEPARATOR)
  const number = isOwn ? texts.numberOfRepeated(text) : texts.numberOf(text)
  if (number !== undefined) return number.toString(36)
  return `${texts.numberOf(name).toString(36)}${OWN_TEXT}${value}`
}

function packPair([name, text]: readonly [name: string, text: string]): string {
  const isPlain = name !== '' && !name.includes(LABEL_SEPARATOR)
  if (isPlain) return `${name}${LABEL_SEPARATOR}${text}`
  return `${LABEL_SEPARATOR}${JSON.stringify([name, text])}`
}

function unpackPair(packed: string): [name: string, text: string] {
  const end = packed.indexOf(LABEL_SEPARATOR)
  if (end === 0) return JSON.parse(packed.slice(1))
  return [packed.slice(0, end), packed.slice(end + 1)]
}

function unpackLabels(packed: string | null, texts: TextTable): Labels | undefined {
  if (packed === null) return undefined
  const labels = packed === '' ? [] : packed.split(NEXT_LABEL)
  // A name such as `__proto__` is a name like any other.
  return Object.fromEntries(labels.map((label) => unpackLabel(label, texts)))
}

function unpackLabel(label: string, texts: TextTable): [name: string, text: string] {
  const end = label.indexOf(OWN_TEXT)
  const text = texts.textOf(Number.parseInt(label, 36))
  return end < 0 ? unpackPair(text) : [text, label.slice(end + 1)]
}

/** The component of a stream, as its streams need it. */
export interface StreamOwner {
  readonly orgUid: string
  readonly uid: string
}

/** The stream of a row; throws CatalogDamaged unless it checks. */
export function streamOfRow(
  row: StoredStreamRow,
  owner: StreamOwner,
  texts: TextTable,
): StoredStream {
  const isWhole =
    checkOfStreamKey(row) === row.crc && checkOfStreamRest(row.handle, row) === row.rest_crc
  if (!isWhole)
    throw new CatalogDamaged(`stream ${numberedName(row.id, row.handle)} does not check`)
  const id = row.id ?? ''
  const labels = unpackLabels(row.labels, texts)
  const series = row.series === SAME ? labels : unpackLabels(row.series, texts)
  return {
    kind: 'stream',
    orgUid: owner.orgUid,
    uid: uidOfStream(row, owner.uid),
    componentUid: owner.uid,
    handle: row.handle as StreamHandle,
    revision: row.revision ?? 1,
    id,
    name: row.name ?? id,
    order: row.place ?? row.ordinal - 1,
    ...definitionOfType(row.type, row.grid === null ? '' : texts.textOf(row.grid)),
    ...(labels === undefined ? {} : { labels }),
    ...(series === undefined ? {} : { series }),
    more: row.more === null ? {} : (JSON.parse(row.more) as JsonObject),
  }
}

/** The UID of a stream of a component. */
function uidOfStream(row: Pick<StreamKey, 'uid' | 'ordinal'>, componentUid: string): string {
  return row.uid === null ? countedUidOf(componentUid, row.ordinal) : uidOfHex(row.uid)
}
