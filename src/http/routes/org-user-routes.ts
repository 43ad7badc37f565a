import type { FastifyRequest } from 'fastify'
import { allows, type Principal, requirePermit } from '../../access/index.ts'
import {
  type ActingCaller,
  addUser,
  changeUser,
  findUserOf,
  type Identity,
  removeUser,
} from '../../auth/index.ts'
import { refuse } from '../../base/index.ts'
import type { Gate } from '../admit/gate.ts'
import type { App } from '../app-type.ts'
import { exchangeOf } from '../transport/exchange.ts'
import { envelope, pageSchema, readPage } from '../wire/envelope.ts'
import { orgUserBody, readUserChanges, showUser, uidParams } from '../wire/identity-wire.ts'

const tags = ['org_user']

/** Adds the users of an organization: list, one, new, insert, update, delete. */
export function orgUserRoutes(app: App, deps: { gate: Gate; identity: Identity }): void {
  const { identity } = deps
  const onRequest = deps.gate.guard('admin')
  app.get(
    '/api/org_user',
    { onRequest, schema: { tags, summary: 'List the users', querystring: pageSchema } },
    async ({ principal: { orgUid }, principal, query }) => {
      requirePermit(principal, 'org_user', 'GET')
      const { users, totalCount } = await identity.users.listOf(orgUid, readPage(query))
      const shown = users.map((user) => showUser(user, orgUid))
      return envelope('org_user', shown, totalCount)
    },
  )
  app.get(
    '/api/org_user/new',
    { onRequest, schema: { tags, summary: 'An unsaved user' } },
    async ({ principal }) => {
      requirePermit(principal, 'org_user', 'GET')
      const blank = { email: '', firstName: '', lastName: '', timeZoneId: 'UTC', role: 'MEMBER' }
      return envelope('org_user', blank)
    },
  )
  app.put(
    '/api/org_user',
    { onRequest, schema: { tags, summary: 'Add a user', body: orgUserBody } },
    async (request) => {
      requirePermit(request.principal, 'org_user', 'PUT')
      const { email, firstName = '', lastName = '', ...rest } = readUserChanges(request.body)
      if (email === undefined) refuse('bad_input', { what: 'org_user.email is needed' })
      const { timeZone = 'UTC', role = 'MEMBER', password } = rest
      const wanted = { email, firstName, lastName, timeZone, role, password }
      const user = await addUser(identity, callerOf(request), wanted)
      return envelope('org_user', showUser(user, request.principal.orgUid))
    },
  )
  oneUserRoutes(app, deps)
}

function oneUserRoutes(app: App, { gate, identity }: { gate: Gate; identity: Identity }): void {
  const onRequest = gate.guard('admin')
  app.get(
    '/api/org_user/:uid',
    { onRequest, schema: { tags, params: uidParams, summary: 'One user' } },
    async ({ principal, params: { uid } }) => {
      if (!isSelf(principal, uid)) requirePermit(principal, `org_user/${uid}`, 'GET')
      const { user } = await findUserOf(identity, principal.orgUid, uid)
      return envelope('org_user', showUser(user, principal.orgUid))
    },
  )
  app.post(
    '/api/org_user/:uid',
    {
      onRequest,
      schema: { tags, params: uidParams, summary: 'Change a user, or yourself', body: orgUserBody },
    },
    async (request) => {
      const { principal, params } = request
      if (!isSelf(principal, params.uid)) requirePermit(principal, `org_user/${params.uid}`, 'POST')
      const changes = readUserChanges(request.body)
      const user = await changeUser(identity, callerOf(request), params.uid, changes)
      return envelope('org_user', showUser(user, principal.orgUid))
    },
  )
  app.delete(
    '/api/org_user/:uid',
    {
      onRequest,
      schema: { tags, params: uidParams, summary: 'Take a user out of the organization' },
    },
    async (request) => {
      const { uid } = request.params
      requirePermit(request.principal, `org_user/${uid}`, 'DELETE')
      await removeUser(identity, callerOf(request), uid)
      return envelope('org_user', { uid })
    },
  )
}

/** Whether a signed-in user means themselves; a token needs a scope that covers users for it. */
function isSelf(principal: Principal, uid: string): boolean {
  const { actor, scope } = principal
  if (actor.kind !== 'user' || actor.userUid !== uid) return false
  return (
    scope === undefined || scope.gives('org_user', 'POST') || allows(principal, 'org_user', 'POST')
  )
}

function callerOf(request: FastifyRequest): ActingCaller {
  const address = exchangeOf(request.raw)?.address ?? ''
  return { principal: request.principal, address }
}
