import { type ApiError, asApiError } from '../../api/api-error.ts'
import { useQuery } from '../../api/use-query.ts'
import { type FoundStream, findStream } from '../../state/use-stream.ts'

/** Streams of one chart at most: the palette has as many colours. */
export const STREAMS_MAX = 8

/** A stream of the address, or why it is not there. */
interface NamedStream {
  readonly name: string
  readonly stream: FoundStream | undefined
  readonly error: ApiError | undefined
}

/** The streams that the address names, each once. */
export function namesIn(query: URLSearchParams): string[] {
  const names = (query.get('s') ?? '').split(',').filter((name) => name.includes('.'))
  return [...new Set(names)].slice(0, STREAMS_MAX)
}

/** Finds all streams of the address; those before stay until they are found. */
export function useStreams(names: readonly string[]) {
  return useQuery<readonly NamedStream[]>(
    ['streams', ...names],
    (signal) => Promise.all(names.map((name) => find(name, signal))),
    { keepPrevious: true },
  )
}

async function find(name: string, signal: AbortSignal): Promise<NamedStream> {
  const [componentUid, streamUid] = name.split('.')
  try {
    const stream = await findStream(componentUid, streamUid, signal)
    return { name, stream, error: undefined }
  } catch (thrown) {
    const error = asApiError(thrown)
    if (signal.aborted || error.status === 0) throw thrown
    return { name, stream: undefined, error }
  }
}
