/** Streams named in one answer; the others are counted. */
const NAMED_MAX = 6
const ID_LENGTH_SHOWN = 60

/** A stream as warnings name it. */
interface NamedStream {
  readonly compId: string
  readonly streamId: string
}

/** Warnings of the same kind for several streams: the first are named, the rest are counted. */
export function warnByStream<T extends NamedStream>(
  streams: readonly T[],
  describe: (stream: T) => string,
  describeRest: (count: number) => string,
): string[] {
  const shown = (id: string) => JSON.stringify(id.slice(0, ID_LENGTH_SHOWN))
  const warnings = streams
    .slice(0, NAMED_MAX)
    .map(
      (one) => `stream ${shown(one.streamId)} of component ${shown(one.compId)}: ${describe(one)}`,
    )
  const rest = streams.length - warnings.length
  if (rest > 0) warnings.push(describeRest(rest))
  return warnings
}
