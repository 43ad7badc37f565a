/** The thread that judges samples by the conditions of previews. */
import { serveThread } from '../../base/plain.ts'
import { judgeRows } from '../condition/judge-rows.ts'
import { readCondition } from '../condition/read-condition.ts'
import type { JudgedAnswer, JudgeRequest } from './judge-thread.ts'

serveThread(({ text, types, columns, count }: JudgeRequest): JudgedAnswer => {
  return judgeRows(readCondition(text, types), columns, count)
})
