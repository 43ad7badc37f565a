import type { App } from '../app-type.ts'
import type { KeepingUp } from '../table/serve-operation.ts'

/** Calls that follow the catalog by themselves, and have no end. */
const LIVE = '/api/live'

/** Calls that change who may act and where: others look at that before they look at the log. */
const OF_PEOPLE = /^\/api\/(?:organization|org_user)(?:\/|$)/

/**
 * Has every call of records see what was committed before it through any other process, which is awaited once the
 * caller is known; what changes organizations and users is answered when the others know. Undefined where no
 * other process shares the store. To be added before the routes.
 */
export function currentPlugin(app: App, others: KeepingUp | undefined): void {
  if (others === undefined) return
  const { catchUp, heard } = others
  app.addHook('onRoute', (route) => {
    if (!route.url.startsWith('/api/') || route.url === LIVE) return
    const own = route.preHandler ?? []
    route.preHandler = [async () => await catchUp(), ...(Array.isArray(own) ? own : [own])]
    if (!OF_PEOPLE.test(route.url) || route.method === 'GET' || route.method === 'HEAD') return
    route.preSerialization = async (_request, reply, payload) => {
      if (reply.statusCode < 400) await heard()
      return payload
    }
  })
}
