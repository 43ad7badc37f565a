import { PAGE_LIMIT_MAX, refuse, Type } from '../../base/index.ts'

/** Parameters of an administrative list, for the API description. */
export const pageSchema = Type.Object({
  start: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Number of items to skip, 0 by default' }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, description: `${PAGE_LIMIT_MAX} by default and at most` }),
  ),
})

/** The answer about one item, or a page of them with the count of all. */
export function envelope(
  resource: string,
  shown: object | readonly object[],
  totalCount = 1,
): Readonly<Record<string, unknown>> {
  return { message: '', [resource]: shown, totalCount, success: true }
}

/** The page that start and limit ask for; a limit beyond the most allowed counts as that. */
export function readPage(query: unknown): { start: number; limit: number } {
  const { start = '0', limit = String(PAGE_LIMIT_MAX) } = query as Record<string, unknown>
  return {
    start: readWhole('start', start, 0),
    limit: Math.min(PAGE_LIMIT_MAX, readWhole('limit', limit, 1)),
  }
}

/** Beyond the end of any list. */
const START_MAX = 1_000_000_000

function readWhole(name: string, text: unknown, min: number): number {
  const value = typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : -1
  if (value < min) refuse('bad_input', { what: `${name} must be an integer of at least ${min}` })
  return Math.min(value, START_MAX)
}
