import { refusal } from '../../base/index.ts'
import { prefers } from '../transport/accept.ts'
import { answerError } from '../transport/answer.ts'
import type { Exchange } from '../transport/exchange.ts'
import { pathOf } from '../transport/target.ts'
import type { Answer } from './call-answer.ts'
import { sendAnswer } from './send-answer.ts'
import type { ServingParts } from './serve-operation.ts'
import type { OperationTable } from './table.ts'

/** What a browser is shown that opens an address at which nothing is. */
export type NoPage = (acceptEncoding: string | undefined) => Promise<Answer>

/** Answers a call that no operation serves: a wrong method on a known path is 405, else it is 404. */
export async function serveUnknown(
  parts: ServingParts & { readonly table: OperationTable; readonly noPage: NoPage },
  exchange: Exchange,
): Promise<void> {
  const { table, log, budget, noPage } = parts
  const { method = '', url = '', headers } = exchange.req
  const path = pathOf(url)
  const shown = path.slice(0, 200)
  try {
    const allowed = table.methodsOf(path)
    if (allowed.length > 0) {
      const what = `Cannot ${method} ${shown}. Use ${allowed.join(' or ')}`
      const refused = refusal('method_not_allowed', { what })
      answerError(exchange, refused, log, { allow: allowed.join(', ') })
      return
    }
    // A person who mistypes an address sees a page; what programs ask for begins as a known path does.
    const isPage =
      method === 'GET' &&
      !table.isServed(path) &&
      prefers(headers.accept, 'text/html', 'application/json')
    if (!isPage) {
      throw refusal('not_found', { what: `There is no ${shown} here: see /docs` })
    }
    exchange.code = 'not_found'
    await sendAnswer({ exchange, budget, isKnown: false }, await noPage(headers['accept-encoding']))
  } catch (error) {
    answerError(exchange, error, log)
  }
}
