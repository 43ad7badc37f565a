import { call } from '../../api/client.ts'
import type { Schema } from '../../api/paths.ts'
import type { Connector, WholePayload } from './connector-types.ts'

export type DryRun = Schema<'DryRunAnswer'>

/** A call of a sink as somebody types it. */
export interface TypedCall {
  readonly method: string
  readonly query: string
  readonly body: string
}

interface Trial {
  readonly connector: Connector
  /** Whether its statements are those that the service has. */
  readonly isSaved: boolean
  /** What is tried; without, what was typed. */
  readonly payload: WholePayload | undefined
  readonly typed: TypedCall
}

/** What the statements would store; throws `ApiError`. Of a kept payload the time of its arrival counts where they are saved. */
export async function tryOut(trial: Trial): Promise<DryRun> {
  const { connector, isSaved, payload, typed } = trial
  const { uid, id, procs, runningUser } = connector
  if (payload !== undefined && isSaved) {
    return await call('post', '/api/connector/{uid}/payload/{payloadUid}/dry_run', {
      path: { uid, payloadUid: payload.uid },
    })
  }
  const { method, query, body } = payload ?? { ...typed, body: bodyOf(typed) }
  return await call('post', '/api/connector/dry_run', {
    body: {
      connector: { id, procs, runningUser: { uid: runningUser.uid } },
      method: method as 'POST',
      query,
      body,
    },
  })
}

function bodyOf({ method, body }: TypedCall): string | null {
  return method === 'POST' || method === 'PUT' ? body : null
}
