import { type ApiError, asApiError } from '../../api/api-error.ts'
import { useQuery } from '../../api/use-query.ts'
import { type FoundStream, findStream } from '../../state/use-stream.ts'
import { readSeriesName, type SeriesName } from './series-name.ts'

/** Series of one chart at most: the palette has as many colors. */
export const STREAMS_MAX = 8

/** A stream of the address, or a period earlier or a statistic of it. */
export interface ViewSeries extends FoundStream, Pick<SeriesName, 'earlier' | 'cycle'> {
  /** As the address names it. */
  readonly name: string
}

/** A series of the address, or why it is not there. */
interface NamedSeries {
  readonly name: string
  readonly series: ViewSeries | undefined
  readonly error: ApiError | undefined
}

/** The series that the address names, each once. */
export function namesIn(query: URLSearchParams): string[] {
  const names = (query.get('s') ?? '').split(',')
  return [...new Set(names)]
    .filter((name) => readSeriesName(name) !== undefined)
    .slice(0, STREAMS_MAX)
}

/** Finds all series of the address; those before stay until they are found. */
export function useStreams(names: readonly string[]) {
  return useQuery<readonly NamedSeries[]>(
    ['streams', ...names],
    (signal) => {
      // A stream that is compared with itself is asked for once.
      const asked = new Map<string, Promise<FoundStream>>()
      return Promise.all(names.map((name) => find(name, asked, signal)))
    },
    { keepPrevious: true },
  )
}

async function find(
  name: string,
  asked: Map<string, Promise<FoundStream>>,
  signal: AbortSignal,
): Promise<NamedSeries> {
  const { componentUid = '', streamUid = '', earlier, cycle } = readSeriesName(name) ?? {}
  const key = `${componentUid}.${streamUid}`
  const finding = asked.get(key) ?? findStream(componentUid, streamUid, signal)
  asked.set(key, finding)
  try {
    return { name, series: { ...(await finding), name, earlier, cycle }, error: undefined }
  } catch (thrown) {
    const error = asApiError(thrown)
    if (signal.aborted || error.status === 0) throw thrown
    return { name, series: undefined, error }
  }
}
