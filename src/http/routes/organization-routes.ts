import type { FastifyRequest } from 'fastify'
import { type Principal, requirePermit } from '../../access/index.ts'
import {
  actorName,
  createOrganization,
  type Identity,
  type Organization,
} from '../../auth/index.ts'
import { refuse } from '../../base/index.ts'
import type { Gate } from '../admit/gate.ts'
import type { App } from '../app-type.ts'
import { exchangeOf } from '../transport/exchange.ts'
import { envelope, pageSchema, readPage } from '../wire/envelope.ts'
import {
  organizationBody,
  readOrganization,
  showAudit,
  showOrganization,
  uidParams,
} from '../wire/identity-wire.ts'

const BLANK = { name: '', rateLimits: '', oauth: '' } as const

/** What the organization routes need. */
interface OrganizationRoutesDeps {
  readonly gate: Gate
  readonly identity: Identity
  /** Deletes an organization with everything below it. */
  readonly deleteOrganization: (organization: Organization) => Promise<void>
}

/** Adds the caller's organizations, and the audit log of the one the call is about. */
export function organizationRoutes(app: App, deps: OrganizationRoutesDeps): void {
  const { identity } = deps
  const onRequest = deps.gate.guard('admin')
  const tags = ['organization']
  app.get(
    '/api/organization',
    { onRequest, schema: { tags, summary: 'Your organizations', querystring: pageSchema } },
    async ({ principal, query }) => {
      requirePermit(principal, 'organization', 'GET')
      const all = await organizationsOf(identity, principal)
      const { start, limit } = readPage(query)
      const page = all.slice(start, start + limit).map(showOrganization)
      return envelope('organization', page, all.length)
    },
  )
  app.get(
    '/api/organization/new',
    { onRequest, schema: { tags, summary: 'An unsaved organization' } },
    async () => envelope('organization', BLANK),
  )
  app.put(
    '/api/organization',
    { onRequest, schema: { tags, summary: 'Insert an organization', body: organizationBody } },
    async ({ principal, body }) => {
      const created = await insertOrganization(identity, principal, readOrganization(body, BLANK))
      return envelope('organization', showOrganization(created))
    },
  )
  oneOrganizationRoutes(app, deps)
  deleteRoute(app, deps)
  auditRoutes(app, deps)
}

function oneOrganizationRoutes(
  app: App,
  { gate, identity }: { gate: Gate; identity: Identity },
): void {
  const onRequest = gate.guard('admin')
  const tags = ['organization']
  app.get(
    '/api/organization/:uid',
    { onRequest, schema: { tags, params: uidParams, summary: 'One of your organizations' } },
    async ({ principal, params }) => {
      requirePermit(principal, `organization/${params.uid}`, 'GET')
      const all = await organizationsOf(identity, principal)
      const found = all.find(({ uid }) => uid === params.uid)
      return envelope('organization', showOrganization(found ?? notFound(params.uid)))
    },
  )
  app.post(
    '/api/organization/:uid',
    {
      onRequest,
      schema: {
        tags,
        params: uidParams,
        summary: 'Update the organization of the call',
        body: organizationBody,
      },
    },
    async (request) => {
      const { principal, params } = request
      // A role holds in one organization: another one has to be named by `org`.
      if (params.uid !== principal.orgUid) notFound(params.uid)
      requirePermit(principal, `organization/${params.uid}`, 'POST')
      const organization = identity.organizations.find(params.uid) ?? notFound(params.uid)
      const fields = readOrganization(request.body, organization)
      const changed = await identity.organizations.update(organization, fields)
      await recordUpdate(identity, request, changed)
      return envelope('organization', showOrganization(changed))
    },
  )
}

function deleteRoute(app: App, deps: OrganizationRoutesDeps): void {
  const summary = 'Delete the organization of the call with everything in it'
  app.delete(
    '/api/organization/:uid',
    {
      onRequest: deps.gate.guard('admin'),
      schema: { tags: ['organization'], params: uidParams, summary },
    },
    async ({ principal, params }) => {
      if (params.uid !== principal.orgUid) notFound(params.uid)
      requirePermit(principal, `organization/${params.uid}`, 'DELETE')
      const { actor } = principal
      if (actor.kind !== 'user' || actor.role !== 'OWNER') {
        refuse('forbidden', { what: 'Only an OWNER may delete an organization' })
      }
      const organization = deps.identity.organizations.find(params.uid) ?? notFound(params.uid)
      await deps.deleteOrganization(organization)
      return envelope('organization', { uid: params.uid })
    },
  )
}

function auditRoutes(app: App, { gate, identity }: { gate: Gate; identity: Identity }): void {
  const schema = {
    tags: ['audit'],
    summary: 'Security acts, newest first',
    querystring: pageSchema,
  }
  app.get(
    '/api/audit',
    { onRequest: gate.guard('admin'), schema },
    async ({ principal, query }) => {
      requirePermit(principal, 'audit', 'GET')
      const { entries, totalCount } = await identity.audit.list(principal.orgUid, readPage(query))
      return envelope('audit', entries.map(showAudit), totalCount)
    },
  )
}

async function organizationsOf(identity: Identity, principal: Principal): Promise<Organization[]> {
  const { actor, orgUid } = principal
  const user = actor.kind === 'user' ? await identity.users.find(actor.userUid) : undefined
  const uids = user?.memberships.map((membership) => membership.orgUid) ?? [orgUid]
  return uids.flatMap((uid) => identity.organizations.find(uid) ?? [])
}

/** Owners may open further organizations; nobody else may, or every guest could. */
async function insertOrganization(
  identity: Identity,
  principal: Principal,
  fields: ReturnType<typeof readOrganization>,
): Promise<Organization> {
  requirePermit(principal, 'organization', 'PUT')
  const { actor } = principal
  const user = actor.kind === 'user' ? await identity.users.find(actor.userUid) : undefined
  if (user === undefined || actor.kind !== 'user' || actor.role !== 'OWNER') {
    refuse('forbidden', { what: 'Only an OWNER may insert an organization' })
  }
  const { organization } = await createOrganization(identity, {
    name: fields.name,
    ownerEmail: user.email,
    ownerTimeZone: user.timeZone,
    actor: actorName(principal),
  })
  const { rateLimits, oauth } = fields
  if (rateLimits === '' && oauth === '') return organization
  return identity.organizations.update(organization, { rateLimits, oauth })
}

function recordUpdate(
  identity: Identity,
  request: FastifyRequest,
  organization: Organization,
): Promise<void> {
  const { uid, name, rateLimits, oauth } = organization
  const address = exchangeOf(request.raw)?.address ?? ''
  const actor = actorName(request.principal)
  const detail = `name ${name}, rateLimits ${rateLimits || 'default'}, oauth ${oauth || 'default'}`
  const act = 'organization_updated'
  return identity.audit.record({ orgUid: uid, act, actor, target: uid, address, detail })
}

function notFound(uid: string): never {
  refuse('not_found', { what: `Cannot find organization "${uid.slice(0, 100)}"` })
}
