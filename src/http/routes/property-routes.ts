import type { FastifyRequest, FastifySchema } from 'fastify'
import { authorOf } from '../../auth/administer/index.ts'
import type { Identity } from '../../auth/index.ts'
import { readFlag, readId, readLoosePairs } from '../../base/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import { actingIn } from '../admit/acting.ts'
import type { Gate } from '../admit/gate.ts'
import { needs } from '../admit/needs.ts'
import type { App } from '../app-type.ts'
import { componentPath } from '../feed/feed-wire.ts'
import { operation } from '../openapi/answer-schema.ts'
import { queryOf } from '../transport/target.ts'
import {
  propertyAnswer,
  propertyBody,
  propertyQuery,
  propertySetAnswer,
  readPropertyBody,
} from '../wire/property-wire.ts'
import { documented } from './record-routes.ts'

const PATH = '/api/comp/:compId/property'
const PROPERTY = 'component/{uid}/property'
const params = componentPath
const described = (summary: string, more: FastifySchema) =>
  documented({ tags: ['property'], summary, params, ...more })

/** Adds the two calls on a component's properties, by component ID. */
export function propertyRoutes(
  app: App,
  { catalog, gate, identity }: { catalog: Catalog; gate: Gate; identity: Identity },
): void {
  const { components } = catalog
  const onRequest = gate.guard('admin')
  const get = {
    querystring: propertyQuery,
    ...operation('getProperties', propertyAnswer),
    ...needs('GET', PROPERTY),
  }
  app.get(PATH, { ...described('Read properties', get), onRequest }, async (request) => {
    const found = await components.getProperties(request.principal, compIdOf(request))
    const { name, description } = found
    const pairs = readLoosePairs(queryOf(request.url))
    const component = {
      ...(readFlag(pairs, 'name') ? { name } : {}),
      ...(readFlag(pairs, 'description') ? { description } : {}),
    }
    return [{ message: '', component, success: true }]
  })
  const set = operation('setProperties', propertySetAnswer)
  const post = { body: propertyBody, ...set, ...needs('POST', PROPERTY) }
  app.post(
    PATH,
    { ...described('Set properties', post), config: { takesAnyType: true }, onRequest },
    async (request) => {
      const author = authorOf(identity, actingIn(request))
      const read = () => readPropertyBody(request.body)
      await components.setProperties(author, compIdOf(request), read)
      return [{ success: true, message: '' }]
    },
  )
}

function compIdOf(request: FastifyRequest): string {
  return readId((request.params as { compId: string }).compId, 'the path', 'compId')
}
