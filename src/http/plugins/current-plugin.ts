import type { App } from '../app-type.ts'

/** Calls that follow the catalog by themselves, and have no end. */
const LIVE = '/api/live'

/**
 * Has every call of records see what was committed before it through any other process: `catchUp` is awaited
 * once the caller is known. Undefined where no other process shares the store. To be added before the routes.
 */
export function currentPlugin(app: App, catchUp: (() => Promise<void>) | undefined): void {
  if (catchUp === undefined) return
  app.addHook('onRoute', (route) => {
    if (!route.url.startsWith('/api/') || route.url === LIVE) return
    const own = route.preHandler ?? []
    route.preHandler = [async () => await catchUp(), ...(Array.isArray(own) ? own : [own])]
  })
}
