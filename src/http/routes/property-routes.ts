import type { FastifyRequest, FastifySchema } from 'fastify'
import { Type } from 'typebox'
import { type Method, requirePermit } from '../../access/index.ts'
import { readFlag, readId, readLoosePairs, refuse } from '../../base/index.ts'
import type { Catalog, ComponentEntry } from '../../catalog/index.ts'
import type { Gate } from '../admit/gate.ts'
import type { App } from '../app-type.ts'
import { queryOf } from '../transport/target.ts'
import {
  propertyAnswer,
  propertyBody,
  propertyQuery,
  readPropertyBody,
} from '../wire/property-wire.ts'
import { documented } from './record-routes.ts'

const PATH = '/api/comp/:compId/property'
const params = Type.Object({ compId: Type.String() })
const described = (summary: string, more: FastifySchema) =>
  documented({ tags: ['property'], summary, params, ...more })

/** Adds the two calls on a component's properties, by component ID. */
export function propertyRoutes(
  app: App,
  { catalog, gate }: { catalog: Catalog; gate: Gate },
): void {
  const { components } = catalog
  const onRequest = gate.guard('admin')
  const get = { querystring: propertyQuery, response: { 200: propertyAnswer } }
  app.get(PATH, { ...described('Read properties', get), onRequest }, async (request) => {
    const { uid, orgUid } = findComponent(catalog, request, 'GET')
    const { name, description } = await components.properties(orgUid, uid)
    const pairs = readLoosePairs(queryOf(request.url))
    const component = {
      ...(readFlag(pairs, 'name') ? { name } : {}),
      ...(readFlag(pairs, 'description') ? { description } : {}),
    }
    return [{ message: '', component, success: true }]
  })
  const post = { body: propertyBody }
  app.post(PATH, { ...described('Set properties', post), onRequest }, async (request) => {
    const { uid, orgUid } = findComponent(catalog, request, 'POST')
    const { name, description } = readPropertyBody(request.body)
    await components.change(orgUid, uid, {
      ...(name === undefined ? {} : { name }),
      ...(description === undefined ? {} : { description }),
    })
    return [{ success: true, message: '' }]
  })
}

function findComponent(catalog: Catalog, request: FastifyRequest, method: Method): ComponentEntry {
  const { principal } = request
  const given = (request.params as { compId: string }).compId
  const compId = readId(given, 'the path', 'compId')
  const entry = catalog.index.resolveComponent(principal.orgUid, compId)
  if (entry === undefined) {
    // A caller without any right to properties learns nothing about which components exist.
    requirePermit(principal, 'component/*/property', method)
    return refuse('component_not_found', { compId })
  }
  requirePermit(principal, `component/${entry.uid}/property`, method)
  return entry
}
