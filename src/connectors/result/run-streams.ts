import type { TargetRules } from '../../feed/index.ts'

/** A stream that samples of a result go to. */
export interface RunStream {
  /** In the order in which streams came first. */
  readonly number: number
  readonly compId: string
  readonly streamId: string
  /** How its component is made, where it has to be. */
  readonly rules: TargetRules | undefined
}

/** How a stream is named in what is remembered of an import. */
export function streamKey(compId: string, streamId: string): string {
  return `${compId}\u0000${streamId}`
}

/** The stream that `streamKey` has named. */
export function streamOfKey(key: string): Pick<RunStream, 'compId' | 'streamId'> {
  const cut = key.indexOf('\u0000')
  return { compId: key.slice(0, cut), streamId: key.slice(cut + 1) }
}

/** The streams of a result, and their components, numbered in the order in which they come. */
export class RunStreams {
  readonly list: RunStream[] = []
  readonly #byKey = new Map<string, RunStream>()
  readonly #components = new Map<string, number>()
  /** The number of the component, by the number of the stream. */
  readonly componentOf: number[] = []

  /** The number of a stream, which is added when it is not there. */
  take(target: Pick<RunStream, 'compId' | 'streamId'> & TargetRules): number {
    const { compId, streamId, compTmplId, compName, folder } = target
    const key = streamKey(compId, streamId)
    const known = this.#byKey.get(key)
    if (known !== undefined) return known.number
    const number = this.list.length
    const hasRules = compTmplId !== undefined || compName !== undefined || folder !== undefined
    const rules = hasRules ? { compTmplId, compName, folder } : undefined
    const added: RunStream = { number, compId, streamId, rules }
    this.list.push(added)
    this.#byKey.set(key, added)
    const component = this.#components.getOrInsert(compId, this.#components.size)
    this.componentOf.push(component)
    return number
  }
}
