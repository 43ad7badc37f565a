import type { Refusal } from '../../base/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import type { App } from '../app-type.ts'

/**
 * Has calls that are refused, as something is not there, looked at once more where several processes share a store:
 * what was made through another a moment ago is found. A call that is refused has changed nothing. To be added
 * before the routes.
 */
export function lookAgainPlugin(app: App, catalog: Pick<Catalog, 'isShared' | 'lookAgain'>): void {
  if (!catalog.isShared) return
  app.addHook('onRoute', (route) => {
    const { handler } = route
    route.handler = function (request, reply) {
      // Its body is read by the handler, which cannot be done twice.
      if (request.body === null) return handler.call(this, request, reply)
      const isRead = request.method === 'GET'
      // A record that is written may name others which this process does not know yet.
      const mayBeMade = ({ status }: Refusal) => status === 404 || (!isRead && status === 400)
      return catalog.lookAgain(() => handler.call(this, request, reply), mayBeMade)
    }
  })
}
