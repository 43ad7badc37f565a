/** Events of GET /api/live, as text and as what they say. */

/** What every event about a stream says of it. */
interface Whose {
  readonly compId: string
  readonly compUid: string
  readonly streamId: string
  readonly streamUid: string
}

/** A sample as it arrived. */
export interface LiveSample extends Whose {
  readonly time: number
  readonly data: number | string | boolean
  /** The value with its unit. */
  readonly fData: string
  /** Whether a long text was cut. */
  readonly isCut?: boolean
}

/** The events that the service sends while a page is open. */
export type LiveEvent =
  | { readonly event: 'sample'; readonly data: LiveSample }
  /** Between sd and ed samples were replaced, came late or were deleted. */
  | {
      readonly event: 'change'
      readonly data: Whose & { readonly sd: number; readonly ed: number }
    }
  /** Samples were left out. */
  | { readonly event: 'gap'; readonly data: Whose }
  /** Something that is followed is not there: a component, or a stream of it. */
  | {
      readonly event: 'missing'
      readonly data: {
        readonly compId?: string
        readonly compUid?: string
        readonly streamId?: string
        readonly streamUid?: string
      }
    }
  | {
      readonly event: 'catalog'
      readonly data: {
        readonly components: readonly string[]
        readonly isMore: boolean
        readonly hasFolders: boolean
        readonly hasAlerts: boolean
      }
    }
  | { readonly event: 'end'; readonly data: { readonly code: string; readonly message: string } }

/** Reads events from text that comes in pieces. */
export class LiveEventReader {
  /** The cursor that was received last. */
  lastEventId: string | undefined
  #text = ''

  /** The events that a piece completes. */
  read(piece: string): LiveEvent[] {
    const blocks = (this.#text + piece).split('\n\n')
    this.#text = blocks.pop() ?? ''
    return blocks.flatMap((block) => this.#readBlock(block))
  }

  #readBlock(block: string): LiveEvent[] {
    let event = ''
    let data = ''
    for (const line of block.split('\n')) {
      if (line.startsWith('event: ')) event = line.slice(7)
      else if (line.startsWith('data: ')) data = line.slice(6)
      else if (line.startsWith('id: ')) this.lastEventId = line.slice(4)
    }
    return data === '' ? [] : [{ event, data: JSON.parse(data) } as LiveEvent]
  }
}
