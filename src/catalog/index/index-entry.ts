/**
 * What the catalog keeps of components and streams as PutDocument.index, so that a start reads no
 * bodies. Packed by hand because a million of them are read at once. The ID comes last: it alone
 * may hold any character.
 *
 *   component: time zone, line feed, ID
 *   stream: kind digit, value code in base 36, flags digit, order in base 36, line feed,
 *           the grid of an interval stream as JSON (else nothing), line feed, ID
 */
import type { StreamKind } from '../shape/stream-kind.ts'

export interface ComponentIndexEntry {
  readonly compId: string
  readonly timeZone: string
}

export interface StreamIndexEntry {
  readonly streamId: string
  readonly kind: StreamKind
  readonly valueCode: number
  readonly isDerived: boolean
  readonly hasDeleteProfile: boolean
  /** Place in the component's definition order; streams of one order sort by UID. */
  readonly order: number
  /** The frozen base cycle and zone of an interval stream as JSON, '' for other kinds. */
  readonly grid: string
}

const DERIVED = 1
const DELETE_PROFILE = 2

/** Packs a component. */
export function packComponent(entry: ComponentIndexEntry): string {
  return `${entry.timeZone}\n${entry.compId}`
}

/** Reads what packComponent wrote. */
export function unpackComponent(packed: string): ComponentIndexEntry {
  const end = packed.indexOf('\n')
  return { timeZone: packed.slice(0, end), compId: packed.slice(end + 1) }
}

/** Packs a stream. */
export function packStream(entry: StreamIndexEntry): string {
  const flags = (entry.isDerived ? DERIVED : 0) | (entry.hasDeleteProfile ? DELETE_PROFILE : 0)
  const head = `${entry.kind}${entry.valueCode.toString(36)}${flags}${entry.order.toString(36)}`
  return `${head}\n${entry.grid}\n${entry.streamId}`
}

/** Reads what packStream wrote. */
export function unpackStream(packed: string): StreamIndexEntry {
  const headEnd = packed.indexOf('\n')
  const gridEnd = packed.indexOf('\n', headEnd + 1)
  const flags = packed.charCodeAt(2) - 48
  return {
    kind: (packed.charCodeAt(0) - 48) as StreamKind,
    valueCode: Number.parseInt(packed[1], 36),
    isDerived: (flags & DERIVED) !== 0,
    hasDeleteProfile: (flags & DELETE_PROFILE) !== 0,
    order: Number.parseInt(packed.slice(3, headEnd), 36),
    grid: gridEnd === headEnd + 1 ? '' : packed.slice(headEnd + 1, gridEnd),
    streamId: packed.slice(gridEnd + 1),
  }
}

/** As unpackStream; streams of many devices look alike, and one like the last is not read again. */
export function streamUnpacker(): (packed: string) => StreamIndexEntry {
  let last = ''
  let entry: StreamIndexEntry | undefined
  return (packed) => {
    if (entry === undefined || packed !== last) entry = unpackStream(packed)
    last = packed
    return entry
  }
}
