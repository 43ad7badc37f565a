import { isDeepStrictEqual } from 'node:util'
import {
  changeOrganization,
  type DeletionParts,
  getOrganization,
  insertOrganization,
  listOrganizations,
  makeOrganization,
  removeOrganization,
} from '../../auth/administer/index.ts'
import type { Identity, Organization, OrganizationUsage } from '../../auth/index.ts'
import type { Quotas } from '../../base/index.ts'
import { actingIn } from '../admit/acting.ts'
import type { Gate } from '../admit/gate.ts'
import { needs } from '../admit/needs.ts'
import type { App } from '../app-type.ts'
import { answersOf, operation } from '../openapi/answer-schema.ts'
import { warnBy } from '../transport/warning-header.ts'
import { envelope, pageSchema, readPage } from '../wire/envelope.ts'
import { blankOrganization, organizationRecord } from '../wire/identity-answers.ts'
import {
  organizationBody,
  passwordHeader,
  readOrganization,
  showOrganization,
  showQuotas,
  uidParams,
} from '../wire/identity-wire.ts'

/** What the organization routes need. */
interface OrganizationRoutesDeps {
  readonly gate: Gate
  readonly identity: Identity
  /** What deletes an organization with everything below it. */
  readonly deletion: DeletionParts
  readonly quotas: Quotas
  readonly usageOf: (organization: Organization) => Promise<OrganizationUsage>
}

const NAME = 'organization'
const ONE = 'organization/{uid}'
const tags = [NAME]
const params = uidParams
const body = organizationBody
const answers = answersOf(NAME, organizationRecord)

/** Adds the caller's organizations. */
export function organizationRoutes(app: App, deps: OrganizationRoutesDeps): void {
  readingRoutes(app, deps)
  writingRoutes(app, deps)
}

/** The record with what the organization may have and what it has. */
async function showWhole(organization: Organization, deps: OrganizationRoutesDeps) {
  const usage = await deps.usageOf(organization)
  return { ...showOrganization(organization), quota: showQuotas(deps.quotas), usage }
}

function readingRoutes(app: App, deps: OrganizationRoutesDeps): void {
  const { gate, identity } = deps
  const onRequest = gate.guard('admin')
  const querystring = pageSchema
  const listing = operation('listOrganizations', answers.page)
  const list = {
    tags,
    ...needs('GET', NAME),
    ...listing,
    summary: 'Your organizations',
    querystring,
  }
  app.get('/api/organization', { onRequest, schema: list }, async (request) => {
    const page = readPage(request.query)
    const found = await listOrganizations(identity, actingIn(request), page)
    const shown = []
    for (const one of found.organizations) shown.push(await showWhole(one, deps))
    return envelope(NAME, shown, found.totalCount)
  })
  const blanking = operation('newOrganization', answersOf(NAME, blankOrganization).one)
  const blank = { tags, ...needs('GET', NAME), ...blanking, summary: 'An unsaved organization' }
  app.get('/api/organization/new', { onRequest, schema: blank }, async (request) =>
    envelope(NAME, makeOrganization(actingIn(request))),
  )
  const getting = operation('getOrganization', answers.one)
  const one = {
    tags,
    ...needs('GET', ONE),
    ...getting,
    params,
    summary: 'One of your organizations',
  }
  app.get('/api/organization/:uid', { onRequest, schema: one }, async (request) => {
    const found = await getOrganization(identity, actingIn(request), request.params.uid)
    return envelope(NAME, await showWhole(found, deps))
  })
}

/** Warns of rate limits that are wider than the operator allows: they are saved, and count as the operator's. */
function warnCapped(
  { uid, rateLimits, rateFigures: own }: Organization,
  { rateFiguresOf }: Pick<Identity, 'rateFiguresOf'>,
): readonly string[] {
  if (own === undefined) return []
  const counting = rateFiguresOf(uid)
  const capped = (['feed', 'admin'] as const).flatMap((name) => {
    const figure = counting[name]
    if (figure === undefined || isDeepStrictEqual(figure, own[name])) return []
    return [`${name} counts as ${figure.calls} calls per ${figure.perMs / 1_000} s`]
  })
  // Failed credentials are counted before it is known which organization they belong to.
  if (/\bfailed=/.test(rateLimits)) capped.push('failed is set by the operator alone')
  return capped.length === 0 ? [] : [`The operator limits rateLimits: ${capped.join('; ')}`]
}

function writingRoutes(app: App, deps: OrganizationRoutesDeps): void {
  const { gate, identity, deletion } = deps
  const onRequest = gate.guard('admin')
  const inserting = operation('insertOrganization', answers.one)
  const insert = {
    tags,
    ...needs('PUT', NAME),
    ...inserting,
    summary: 'Insert an organization',
    body,
  }
  app.put('/api/organization', { onRequest, schema: insert }, async (request, reply) => {
    const given = readOrganization(request.body)
    const created = await insertOrganization(identity, actingIn(request), given)
    warnBy(reply)(warnCapped(created, deps.identity))
    return envelope(NAME, await showWhole(created, deps))
  })
  const updating = operation('updateOrganization', answers.one)
  const what = 'Update the organization of the call'
  const update = { tags, ...needs('POST', ONE), ...updating, params, summary: what, body }
  app.post('/api/organization/:uid', { onRequest, schema: update }, async (request, reply) => {
    const changes = readOrganization(request.body)
    const { uid } = request.params
    const changed = await changeOrganization(identity, actingIn(request), uid, changes)
    if (changes.rateLimits !== undefined) warnBy(reply)(warnCapped(changed, deps.identity))
    return envelope(NAME, await showWhole(changed, deps))
  })
  const summary = 'Delete the organization of the call with everything in it'
  const removing = operation('deleteOrganization', answers.gone)
  const headers = passwordHeader
  const remove = { tags, ...needs('DELETE', ONE), ...removing, params, headers, summary }
  app.delete('/api/organization/:uid', { onRequest, schema: remove }, async (request) => {
    const { uid } = request.params
    await removeOrganization(deletion, actingIn(request), uid)
    return envelope(NAME, { uid })
  })
}
