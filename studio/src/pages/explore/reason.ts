import { ApiError } from '../../api/api-error.ts'

/** Why something failed, in words for its place; a lost connection is shown at the top of the page. */
export function reasonOf(thrown: unknown): string | undefined {
  if (thrown === undefined || (thrown instanceof ApiError && thrown.code === 'connection')) {
    return undefined
  }
  return thrown instanceof Error ? thrown.message : String(thrown)
}
