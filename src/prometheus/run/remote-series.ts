import type {
  FoldedSeries,
  SampleMemory,
  SelectedOne,
  SelectedSeries,
  SeriesFold,
  SeriesRead,
  SeriesSamples,
  SeriesSource,
  SeriesStatistics,
  StatisticValues,
} from '../../promql/index.ts'
import type {
  FromThread,
  LabelRequest,
  SelectedPart,
  SelectReply,
  SelectRequest,
  SourceCall,
  SourceCalls,
  ToThread,
} from './query-messages.ts'

interface PendingCall {
  readonly resolve: (reply: unknown) => void
  readonly reject: (error: Error) => void
  /** Takes a part of the reply. */
  readonly take: ((part: SelectedPart | readonly string[]) => void) | undefined
}

type CallMessage = Extract<ToThread, { kind: 'part' | 'reply' | 'failure' }>

/** The series of the service, from inside of a query thread. */
export class RemoteSeries implements SeriesSource {
  readonly #post: (message: FromThread) => void
  readonly #memory: SampleMemory
  readonly #pending = new Map<number, PendingCall>()
  #lastCall = 0

  constructor(post: (message: FromThread) => void, memory: SampleMemory) {
    this.#post = post
    this.#memory = memory
  }

  /** Takes a message of the service about a call. */
  receive(message: CallMessage): void {
    const pending = this.#pending.get(message.call)
    if (pending === undefined) return
    if (message.kind === 'part') {
      pending.take?.(message.part)
      return
    }
    this.#pending.delete(message.call)
    if (message.kind === 'reply') pending.resolve(message.reply)
    else pending.reject(new Error('the service has given up the query'))
  }

  async select(request: SelectRequest): Promise<SelectedSeries> {
    const series: SelectedOne[] = []
    const dictionary: Dictionary = { names: [], texts: [] }
    const take: PendingCall['take'] = (part) => unpack(part as SelectedPart, dictionary, series)
    const { warnings, infos }: SelectReply = await this.#ask({ name: 'select', request }, take)
    return { series, warnings, infos }
  }

  read(request: SeriesRead): Promise<SeriesSamples> {
    return this.#ask({ name: 'read', request })
  }

  fold(request: SeriesFold): Promise<FoldedSeries | undefined> {
    return this.#ask({ name: 'fold', request })
  }

  statistics(request: SeriesStatistics): Promise<StatisticValues> {
    return this.#ask({ name: 'statistics', request })
  }

  /** Names or values of labels, each once and in no order. */
  async labels(
    request: LabelRequest,
  ): Promise<SelectReply & { readonly texts: readonly string[] }> {
    const texts: string[] = []
    const take: PendingCall['take'] = (part) => texts.push(...(part as readonly string[]))
    return { texts, ...(await this.#ask({ name: 'labels', request }, take)) }
  }

  #ask<Call extends SourceCall>(
    what: Call,
    take?: PendingCall['take'],
  ): Promise<SourceCalls[Call['name']]['reply']> {
    this.#lastCall += 1
    const call = this.#lastCall
    return new Promise((resolve, reject) => {
      this.#pending.set(call, { resolve: resolve as PendingCall['resolve'], reject, take })
      this.#post({ kind: 'call', call, what, heldSamples: this.#memory.held })
    })
  }
}

interface Dictionary {
  readonly names: string[]
  readonly texts: string[]
}

function unpack(part: SelectedPart, { names, texts }: Dictionary, series: SelectedOne[]): void {
  names.push(...part.names)
  texts.push(...part.texts)
  for (const [at, ref] of part.refs.entries()) {
    const labels: string[] = []
    for (let place = part.starts[at]; place < part.starts[at + 1]; place++) {
      const pair = part.pairs[place]
      labels.push(names[pair], texts[pair])
    }
    series.push({ ref, labels, lookbackMs: part.lookbacks[at] })
  }
}
