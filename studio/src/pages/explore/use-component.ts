import { ApiError } from '../../api/api-error.ts'
import { call } from '../../api/client.ts'
import type { Schema } from '../../api/paths.ts'
import { useQuery } from '../../api/use-query.ts'

const UID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** Streams that the page of a component shows. */
const STREAMS_MAX = 1_000

/** A component with its streams. */
export interface FoundComponent {
  readonly component: Schema<'Component'>
  readonly streams: readonly Schema<'Stream'>[]
  /** How many streams there are in all. */
  readonly streamCount: number
}

/** The component that an address names, by UID or ID. */
export function useComponent(name: string, { isOff }: { readonly isOff?: boolean } = {}) {
  return useQuery(['component', 'page', name], (signal) => findComponent(name, signal), {
    keepPrevious: true,
    isOff,
  })
}

async function findComponent(name: string, signal: AbortSignal): Promise<FoundComponent> {
  const component = (await byUid(name, signal)) ?? (await byId(name, signal))
  const { stream, totalCount } = await call('get', '/api/component/{componentUid}/stream', {
    path: { componentUid: component.uid },
    query: { limit: STREAMS_MAX },
    signal,
  })
  return { component, streams: stream, streamCount: totalCount }
}

async function byUid(name: string, signal: AbortSignal): Promise<Schema<'Component'> | undefined> {
  if (!UID.test(name)) return undefined
  try {
    return (await call('get', '/api/component/{uid}', { path: { uid: name }, signal })).component
  } catch (error) {
    // An ID may look like a UID.
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}

async function byId(name: string, signal: AbortSignal): Promise<Schema<'Component'>> {
  const { component } = await call('get', '/api/component', { query: { id: name }, signal })
  if (component.length > 0) return component[0]
  const message = `Component “${name}” does not exist, or you do not have access.`
  throw new ApiError({ status: 404, code: 'component_not_found', message })
}
