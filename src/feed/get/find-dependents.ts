import { allows, type Principal } from '../../access/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import type { StreamHandle } from '../../store/index.ts'

/** Derived streams that are named: what a person reads through. */
const NAMED_MAX = 20
/** Derived streams that are counted: beyond that their number says nothing more. */
const COUNTED_MAX = 1_000

/** A derived stream as people know it. */
interface NamedDerived {
  readonly componentUid: string
  readonly componentId: string
  readonly componentName: string
  readonly streamUid: string
  readonly streamId: string
  readonly streamName: string
}

/** What is derived of streams, also by way of others. */
export interface Dependents {
  /** Beyond a thousand: a thousand. */
  readonly derivedCount: number
  /** The nearest ones that the caller may see. */
  readonly derived: readonly NamedDerived[]
}

/** Returns the other streams that stop when the given ones are deleted. */
export async function findDependents(
  catalog: Pick<Catalog, 'index' | 'derivations' | 'describeStream' | 'componentName'>,
  principal: Principal,
  gone: readonly StreamHandle[],
): Promise<Dependents> {
  const found = collect(catalog, gone)
  const derived: NamedDerived[] = []
  for (const handle of found) {
    if (derived.length >= NAMED_MAX) break
    const named = await nameDerived(catalog, principal, handle)
    if (named !== undefined) derived.push(named)
  }
  return { derivedCount: found.length, derived }
}

/** The nearest first; each once, and none of those that go themselves. */
function collect(
  { derivations }: Pick<Catalog, 'derivations'>,
  gone: readonly StreamHandle[],
): StreamHandle[] {
  if (derivations.isEmpty) return []
  const seen = new Set(gone)
  const found: StreamHandle[] = []
  let near = gone.filter((handle) => derivations.hasDependents(handle))
  while (near.length > 0) {
    const next: StreamHandle[] = []
    for (const source of near) {
      for (const handle of derivations.dependentsOf(source)) {
        if (seen.has(handle)) continue
        if (found.length >= COUNTED_MAX) return found
        seen.add(handle)
        found.push(handle)
        next.push(handle)
      }
    }
    near = next
  }
  return found
}

async function nameDerived(
  catalog: Parameters<typeof findDependents>[0],
  principal: Principal,
  handle: StreamHandle,
): Promise<NamedDerived | undefined> {
  const { index } = catalog
  if (!index.has(handle)) return undefined
  const { uid: componentUid, compId: componentId } = index.componentOf(handle)
  const streamUid = index.streamUid(handle)
  if (!allows(principal, `component/${componentUid}/stream/${streamUid}`, 'GET')) return undefined
  const stream = await catalog.describeStream(handle)
  const componentName = await catalog.componentName(principal.orgUid, componentUid)
  // A stream deleted meanwhile needs no event.
  if (stream === undefined || componentName === undefined) return undefined
  const { id: streamId, name: streamName } = stream
  return { componentUid, componentId, componentName, streamUid, streamId, streamName }
}
