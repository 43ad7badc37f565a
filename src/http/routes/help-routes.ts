import type { App } from '../app-type.ts'
import { HelpPages, helpPolicy, helpStyle } from '../pages/help/help-pages.ts'
import { pathOf } from '../transport/target.ts'

const hidden = { hide: true } as const

/** Adds the documentation at /help, without a sign-in and without the internet. */
export function helpRoutes(app: App): void {
  const pages = new HelpPages()
  app.get('/help/help.css', { schema: hidden }, (_request, reply) =>
    reply.type('text/css; charset=utf-8').header('cache-control', 'no-cache').send(helpStyle),
  )
  for (const path of ['/help', '/help/*']) {
    app.get(path, { schema: hidden }, (request, reply) => {
      const file = pages.find(pathOf(request.url))
      if (file === undefined) return reply.callNotFound()
      reply.header('content-security-policy', helpPolicy).header('cache-control', 'no-cache')
      return reply.type(file.type).send(file.body)
    })
  }
}
