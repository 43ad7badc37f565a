import type { TestContext } from 'node:test'
import { type Call, caller, signIn } from './caller.ts'
import { FeedClient } from './feed-client.ts'
import { type Service, startService } from './service.ts'

/** A service with its owner and a device. */
export interface World {
  readonly service: Service
  readonly owner: Call
  readonly feed: FeedClient
}

/** Starts a service that a test has for itself until it ends. */
export async function startWorld(
  t: TestContext,
  settings: Record<string, string> = {},
): Promise<World> {
  const service = await startService({ settings })
  t.after(() => service.close())
  const session = await signIn(service, service.ownerEmail, service.ownerPassword)
  return { service, owner: caller(service, session), feed: new FeedClient(service) }
}
