import type { ApiError } from '../../api/api-error.ts'
import type { Schema } from '../../api/paths.ts'

export type Connector = Schema<'Connector'>
export type Payload = Schema<'Payload'>
export type WholePayload = Schema<'WholePayload'>

/** What went wrong when statements ran, and their texts at that time. */
export interface FailedRun {
  readonly sqls: readonly string[]
  readonly error: ApiError
}

/** The name of queries about what a connector was given. */
export const payloadKey = (uid: string, ...more: ReadonlyArray<string | number>) =>
  ['payload', uid, ...more] as const
