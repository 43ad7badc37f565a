/** What streams keep of the values that a run sends to them, as far as it is known before they arrive. */

import type { StreamIndex } from '../../catalog/index.ts'
import { INTERVAL, VALUE_CODE } from '../../catalog/shape/index.ts'
import type { RunStream } from './run-streams.ts'

/** What one stream keeps. */
export interface StreamForm {
  /** Whether it has to be made. */
  readonly isMissing: boolean
  /** Whether NULL is a gap that it keeps; others leave NULL out. */
  readonly keepsNull: boolean
  /** What it makes of values: numbers of texts, texts of all, or nobody knows. */
  readonly values: 'numbers' | 'texts' | 'any'
}

type FormIndex = Pick<StreamIndex, 'resolve' | 'kindOf' | 'valueCodeOf'>

const OTHER_VALUES: ReadonlySet<number> = new Set([
  VALUE_CODE.NONE,
  VALUE_CODE.BOOLEAN,
  VALUE_CODE.BIG_DECIMAL,
  VALUE_CODE.FILE,
])

/** The forms of the streams of a run, looked up once for each. */
export class StreamForms {
  readonly #index: FormIndex
  readonly #orgUid: string
  readonly #streams: readonly RunStream[]
  readonly #forms: StreamForm[] = []

  constructor(index: FormIndex, orgUid: string, streams: readonly RunStream[]) {
    this.#index = index
    this.#orgUid = orgUid
    this.#streams = streams
  }

  /** The form of a stream by its number. */
  of(stream: number): StreamForm {
    this.#forms[stream] ??= this.#look(this.#streams[stream])
    return this.#forms[stream]
  }

  #look({ compId, streamId, rules }: RunStream): StreamForm {
    const handle = this.#index.resolve(this.#orgUid, compId, streamId)
    // One that a template makes may be an interval stream; all others are made random.
    const mayBeInterval = rules?.compTmplId !== undefined
    if (handle === 0) return { isMissing: true, keepsNull: mayBeInterval, values: 'any' }
    const code = this.#index.valueCodeOf(handle)
    const known = code === VALUE_CODE.STRING ? 'texts' : 'numbers'
    const values = OTHER_VALUES.has(code) ? 'any' : known
    return { isMissing: false, keepsNull: this.#index.kindOf(handle) === INTERVAL, values }
  }
}
