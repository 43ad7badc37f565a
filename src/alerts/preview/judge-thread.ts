import { KillableThread, refuse, ThreadExhausted } from '../../base/index.ts'
import type { ExpressionType } from '../../expression/index.ts'
import type { ValueColumn } from '../condition/input-columns.ts'
import type { Judged } from '../condition/judge-samples.ts'

/** Samples to be judged by the text of a condition: terms hold functions, which cannot be sent. */
export interface JudgeRequest {
  readonly text: string
  readonly types: { readonly value: ExpressionType; readonly timeZoneId: string }
  readonly columns: readonly ValueColumn[]
  readonly count: number
}

export type JudgedAnswer = Judged

/** CPU time of one block, in milliseconds: the budget of formula previews. */
const CPU_MS_MAX = 2_000
const MEMORY_MB_MAX = 256

/** Judges samples apart from the main loop. */
export class JudgeThread {
  readonly #thread = new KillableThread<JudgeRequest, JudgedAnswer>({
    name: 'alert preview',
    module: new URL('./judge-worker.ts', import.meta.url),
    cpuMsMax: CPU_MS_MAX,
    memoryMbMax: MEMORY_MB_MAX,
  })

  async judge(request: JudgeRequest): Promise<Judged> {
    try {
      return await this.#thread.ask(request)
    } catch (error) {
      if (!(error instanceof ThreadExhausted)) throw error
      const most =
        error.of === 'time' ? `${CPU_MS_MAX / 1_000} s of CPU time` : `${MEMORY_MB_MAX} MB`
      const what = `The condition needs too much ${error.of}: at most ${most}`
      return refuse('bad_input', { what })
    }
  }

  async close(): Promise<void> {
    await this.#thread.close()
  }
}
