/** The thread that judges samples by the conditions of previews. */
import { serveThread } from '../../base/plain.ts'
import { judgeSamples } from '../condition/judge-samples.ts'
import { readCondition } from '../condition/read-condition.ts'
import type { JudgedAnswer, JudgeRequest } from './judge-thread.ts'

serveThread(({ text, types, columns, count }: JudgeRequest): JudgedAnswer => {
  return judgeSamples(readCondition(text, types), columns, count)
})
