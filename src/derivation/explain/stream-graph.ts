/** What a stream is derived from and what is derived from it, as a caller may see it. */
import { allows, type Principal, requirePermit } from '../../access/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import { refuseUnknown } from '../../catalog/record/index.ts'
import type { StreamHandle } from '../../store/index.ts'

/** Streams that are shown: more would be no picture any more. */
const NODES_MAX = 100

/** A stream of the graph; of one that the caller may not see everything but its place is blank. */
interface GraphNode {
  /** 0 for the stream that was asked for, below that its sources, above that what is derived from it. */
  readonly level: number
  readonly isHidden: boolean
  readonly componentUid: string
  readonly componentId: string
  readonly componentName: string
  readonly streamUid: string
  readonly streamId: string
  readonly streamName: string
}

/** Streams and which is derived from which. */
export interface StreamGraph {
  /** The stream that was asked for is the first. */
  readonly nodes: readonly GraphNode[]
  /** By places in the list: `to` is derived from `from`. */
  readonly edges: readonly { readonly from: number; readonly to: number }[]
  /** Whether there are no more than are shown. What lies behind hidden streams is not looked at. */
  readonly isWhole: boolean
}

type GraphCatalog = Pick<Catalog, 'index' | 'derivations' | 'describeStream' | 'componentName'>

/** The streams around one, the nearest first. */
export async function readStreamGraph(
  catalog: GraphCatalog,
  principal: Principal,
  { componentUid, uid }: { readonly componentUid: string; readonly uid: string },
): Promise<StreamGraph> {
  requirePermit(principal, `component/${componentUid}/stream/${uid}`, 'GET')
  const { index, derivations } = catalog
  const start = index.streamByUid(principal.orgUid, uid)
  if (start === 0 || index.componentOf(start).uid !== componentUid) {
    return refuseUnknown('stream', uid)
  }
  const found = new FoundStreams(catalog, principal, start)
  let isWhole = found.walk(-1, (handle) => derivations.sourcesOf(handle))
  isWhole = found.walk(1, (handle) => derivations.dependentsOf(handle)) && isWhole
  const nodes: GraphNode[] = []
  for (const [handle, level] of found.levels) {
    nodes.push({ level, ...(await nameOf(catalog, principal, handle)) })
  }
  return { nodes, edges: found.edges, isWhole }
}

/** The streams that were found, with how far away they are. */
class FoundStreams {
  readonly levels = new Map<StreamHandle, number>()
  readonly edges: { from: number; to: number }[] = []
  readonly #catalog: GraphCatalog
  readonly #principal: Principal
  readonly #start: StreamHandle
  readonly #places = new Map<StreamHandle, number>()

  constructor(catalog: GraphCatalog, principal: Principal, start: StreamHandle) {
    this.#catalog = catalog
    this.#principal = principal
    this.#start = start
    this.#place(start, 0)
  }

  /** Goes one way from the start, step by step; false when there are more than are shown. */
  walk(step: -1 | 1, nextOf: (handle: StreamHandle) => readonly StreamHandle[]): boolean {
    let isWhole = true
    let near: readonly StreamHandle[] = [this.#start]
    for (let level = step; near.length > 0; level = (level + step) as typeof step) {
      const next: StreamHandle[] = []
      for (const handle of near) {
        if (!isSeen(this.#catalog, this.#principal, handle)) continue
        for (const other of nextOf(handle)) {
          const isKnown = this.#places.has(other)
          if (!isKnown && this.levels.size >= NODES_MAX) {
            isWhole = false
            continue
          }
          if (!isKnown) next.push(other)
          const [here, there] = [this.#place(handle, level), this.#place(other, level)]
          this.edges.push(step < 0 ? { from: there, to: here } : { from: here, to: there })
        }
      }
      near = next
    }
    return isWhole
  }

  #place(handle: StreamHandle, level: number): number {
    const known = this.#places.get(handle)
    if (known !== undefined) return known
    const place = this.levels.size
    this.#places.set(handle, place)
    this.levels.set(handle, level)
    return place
  }
}

function isSeen({ index }: GraphCatalog, principal: Principal, handle: StreamHandle): boolean {
  if (!index.has(handle)) return false
  const resource = `component/${index.componentOf(handle).uid}/stream/${index.streamUid(handle)}`
  return allows(principal, resource, 'GET')
}

const HIDDEN: Omit<GraphNode, 'level'> = {
  isHidden: true,
  componentUid: '',
  componentId: '',
  componentName: '',
  streamUid: '',
  streamId: '',
  streamName: '',
}

/** The name of a stream. One that was just deleted is treated like a hidden one. */
async function nameOf(
  catalog: GraphCatalog,
  principal: Principal,
  handle: StreamHandle,
): Promise<Omit<GraphNode, 'level'>> {
  if (!isSeen(catalog, principal, handle)) return HIDDEN
  const { uid: componentUid, compId: componentId } = catalog.index.componentOf(handle)
  const streamUid = catalog.index.streamUid(handle)
  const stream = await catalog.describeStream(handle)
  const componentName = await catalog.componentName(principal.orgUid, componentUid)
  if (stream === undefined || componentName === undefined) return HIDDEN
  const named = { streamUid, streamId: stream.id, streamName: stream.name }
  return { isHidden: false, componentUid, componentId, componentName, ...named }
}
