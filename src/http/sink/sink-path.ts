import type { Method } from '../../access/index.ts'
import { refuse } from '../../base/index.ts'
import type { SinkTarget } from '../../connectors/index.ts'
import { pathOf, queryOf } from '../transport/target.ts'

/** The path of sinks, as the router and the metrics write it. */
export const SINK_PATTERN = '/api/conn_sink/:orgUid/:connectorId'

/** The methods by which sinks are called; all do the same. */
export const SINK_METHODS = ['PUT', 'POST', 'GET', 'DELETE'] as const

const PREFIX = '/api/conn_sink/'

/** A call of a sink, found by its method and target. */
export interface SinkCall {
  readonly method: Method
  readonly orgUid: string
  /** As it was sent. */
  readonly connectorId: string
  readonly query: string
}

/** The sink that a method and a target mean; undefined when it is none. */
export function findSinkCall(method: string, url: string): SinkCall | undefined {
  if (!url.startsWith(PREFIX) || !isSinkMethod(method)) return undefined
  const [orgUid, connectorId, ...more] = pathOf(url).slice(PREFIX.length).split('/')
  if (!orgUid || !connectorId || more.length > 0) return undefined
  return { method, orgUid, connectorId, query: queryOf(url) }
}

/** Which sink a call means, its names decoded. */
export function readSinkTarget({ method, orgUid, connectorId }: SinkCall): SinkTarget {
  return { method, orgUid: decode(orgUid), connectorId: decode(connectorId) }
}

function decode(segment: string): string {
  try {
    return segment.includes('%') ? decodeURIComponent(segment) : segment
  } catch {
    refuse('bad_input', { what: 'Cannot decode the path: write a % as %25' })
  }
}

function isSinkMethod(method: string): method is Method {
  return (SINK_METHODS as readonly string[]).includes(method)
}
