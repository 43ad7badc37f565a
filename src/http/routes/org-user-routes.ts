import {
  addUser,
  changeUser,
  getUser,
  listUsers,
  makeUser,
  removeUser,
} from '../../auth/administer/index.ts'
import type { Identity } from '../../auth/index.ts'
import { actingIn } from '../admit/acting.ts'
import type { Gate } from '../admit/gate.ts'
import { needs } from '../admit/needs.ts'
import type { App } from '../app-type.ts'
import { answersOf, operation } from '../openapi/answer-schema.ts'
import { envelope, pageSchema, readPage } from '../wire/envelope.ts'
import { blankOrgUser, orgUserRecord } from '../wire/identity-answers.ts'
import {
  orgUserBody,
  passwordHeader,
  readNewUser,
  readUserChanges,
  showNewUser,
  showOrgUser,
  uidParams,
} from '../wire/identity-wire.ts'

interface Deps {
  readonly gate: Gate
  readonly identity: Identity
}

const NAME = 'org_user'
const ONE = 'org_user/{uid}'
const tags = [NAME]
const params = uidParams
const body = orgUserBody
const answers = answersOf(NAME, orgUserRecord)

/** Adds the users of an organization: list, one, new, insert, update, delete. */
export function orgUserRoutes(app: App, deps: Deps): void {
  readingRoutes(app, deps)
  writingRoutes(app, deps)
}

function readingRoutes(app: App, { gate, identity }: Deps): void {
  const onRequest = gate.guard('admin')
  const listing = operation('listOrgUsers', answers.page)
  const list = {
    tags,
    ...needs('GET', NAME),
    ...listing,
    summary: 'List the users',
    querystring: pageSchema,
  }
  app.get('/api/org_user', { onRequest, schema: list }, async (request) => {
    const by = actingIn(request)
    const { users, totalCount } = await listUsers(identity, by, readPage(request.query))
    const shown = users.map((user) => showOrgUser(user, by.principal.orgUid))
    return envelope(NAME, shown, totalCount)
  })
  const blanking = operation('newOrgUser', answersOf(NAME, blankOrgUser).one)
  const blank = { tags, ...needs('GET', NAME), ...blanking, summary: 'An unsaved user' }
  app.get('/api/org_user/new', { onRequest, schema: blank }, async (request) =>
    envelope(NAME, showNewUser(makeUser(actingIn(request)))),
  )
  const getting = operation('getOrgUser', answers.one)
  const one = { tags, ...needs('GET', ONE), ...getting, params, summary: 'One user' }
  app.get('/api/org_user/:uid', { onRequest, schema: one }, async (request) => {
    const user = await getUser(identity, actingIn(request), request.params.uid)
    return envelope(NAME, showOrgUser(user, request.principal.orgUid))
  })
}

function writingRoutes(app: App, { gate, identity }: Deps): void {
  const onRequest = gate.guard('admin')
  const inserting = operation('insertOrgUser', answers.one)
  const insert = {
    tags,
    ...needs('PUT', NAME),
    ...inserting,
    summary: 'Add a user, or invite an account',
    body,
  }
  app.put('/api/org_user', { onRequest, schema: insert }, async (request) => {
    const user = await addUser(identity, actingIn(request), readNewUser(request.body))
    return envelope(NAME, showOrgUser(user, request.principal.orgUid))
  })
  const summary = 'Change a user, or yourself'
  const updating = operation('updateOrgUser', answers.one)
  const update = { tags, ...needs('POST', ONE), ...updating, params, summary, body }
  app.post('/api/org_user/:uid', { onRequest, schema: update }, async (request) => {
    const changes = readUserChanges(request.body)
    const user = await changeUser(identity, actingIn(request), request.params.uid, changes)
    return envelope(NAME, showOrgUser({ user }, request.principal.orgUid))
  })
  const removing = 'Take a user out of the organization, an invitation back, or leave'
  const removed = operation('deleteOrgUser', answers.gone)
  const headers = passwordHeader
  const remove = { tags, ...needs('DELETE', ONE), ...removed, params, headers, summary: removing }
  app.delete('/api/org_user/:uid', { onRequest, schema: remove }, async (request) => {
    const { uid } = request.params
    await removeUser(identity, actingIn(request), uid)
    return envelope(NAME, { uid })
  })
}
