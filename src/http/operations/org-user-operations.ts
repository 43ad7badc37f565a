import {
  addUser,
  answerInvitation,
  changeUser,
  getUser,
  listOwnInvitations,
  listUsers,
  makeUser,
  removeUser,
} from '../../auth/administer/index.ts'
import type { Identity } from '../../auth/index.ts'
import { answersOf } from '../openapi/answer-schema.ts'
import { forPeople } from '../openapi/security-schemes.ts'
import { checkedJson, type HttpOperation, httpOperation } from '../table/http-operation.ts'
import { envelope, pageSchema, readPage } from '../wire/envelope.ts'
import { blankOrgUser, invitationRecord, orgUserRecord } from '../wire/identity-answers.ts'
import {
  invitationBody,
  orgUserBody,
  passwordHeader,
  readNewUser,
  readUserChanges,
  showInvitation,
  showNewUser,
  showOrgUser,
  uidParams,
} from '../wire/identity-wire.ts'

const NAME = 'org_user'
const answers = answersOf(NAME, orgUserRecord)
const all = { path: '/api/org_user', callers: 'admin', tag: NAME } as const
const one = { ...all, path: '/api/org_user/:uid', ids: uidParams } as const

/** The users of an organization: list, one, new, insert, update, delete; and what people were invited to. */
export function orgUserOperations(identity: Identity): HttpOperation[] {
  return [
    ...readingOperations(identity),
    ...writingOperations(identity),
    ...invitationOperations(identity),
  ]
}

function readingOperations(identity: Identity): HttpOperation[] {
  return [
    httpOperation({
      ...all,
      name: 'listOrgUsers',
      methods: ['GET'],
      needs: 'GET org_user',
      summary: 'List the users',
      query: pageSchema,
      answer: answers.page,
      run: async ({ acting, principal, query }) => {
        const { users, totalCount } = await listUsers(identity, acting, readPage(query))
        const shown = users.map((user) => showOrgUser(user, principal.orgUid))
        return envelope(NAME, shown, totalCount)
      },
    }),
    httpOperation({
      ...all,
      name: 'newOrgUser',
      methods: ['GET'],
      path: '/api/org_user/new',
      needs: 'GET org_user',
      summary: 'Default values of a new user',
      answer: answersOf(NAME, blankOrgUser).one,
      run: ({ acting }) => envelope(NAME, showNewUser(makeUser(acting))),
    }),
    httpOperation({
      ...one,
      name: 'getOrgUser',
      methods: ['GET'],
      needs: 'GET org_user/{uid}',
      summary: 'One user',
      answer: answers.one,
      run: async ({ acting, ids, principal }) => {
        const user = await getUser(identity, acting, ids.uid)
        return envelope(NAME, showOrgUser(user, principal.orgUid))
      },
    }),
  ]
}

function writingOperations(identity: Identity): HttpOperation[] {
  return [
    httpOperation({
      ...all,
      name: 'insertOrgUser',
      methods: ['PUT'],
      needs: 'PUT org_user',
      summary: 'Add a user, or invite an existing account',
      input: checkedJson(orgUserBody),
      answer: answers.one,
      run: async ({ acting, body, principal }) => {
        const user = await addUser(identity, acting, readNewUser(body))
        return envelope(NAME, showOrgUser(user, principal.orgUid))
      },
    }),
    httpOperation({
      ...one,
      name: 'updateOrgUser',
      methods: ['POST'],
      needs: 'POST org_user/{uid}',
      summary: 'Change a user or yourself',
      input: checkedJson(orgUserBody),
      answer: answers.one,
      run: async ({ acting, ids, body, principal }) => {
        const user = await changeUser(identity, acting, ids.uid, readUserChanges(body))
        return envelope(NAME, showOrgUser({ user }, principal.orgUid))
      },
    }),
    httpOperation({
      ...one,
      name: 'deleteOrgUser',
      methods: ['DELETE'],
      needs: 'DELETE org_user/{uid}',
      summary: 'Remove a user, withdraw an invitation, or leave the organization',
      headers: passwordHeader,
      answer: answers.gone,
      run: async ({ acting, ids: { uid } }) => {
        await removeUser(identity, acting, uid)
        return envelope(NAME, { uid })
      },
    }),
  ]
}

const INVITATION = 'invitation'
const invitationAnswers = answersOf(INVITATION, invitationRecord)

/** What a person was invited to: list, accept, decline. */
function invitationOperations(identity: Identity): HttpOperation[] {
  const own = { callers: 'admin', tag: INVITATION, security: forPeople } as const
  return [
    httpOperation({
      ...own,
      name: 'listInvitations',
      methods: ['GET'],
      path: '/api/invitation',
      needs: 'GET invitation',
      summary: 'List your invitations',
      query: pageSchema,
      answer: invitationAnswers.page,
      run: async ({ acting, query }) => {
        const found = await listOwnInvitations(identity, acting, readPage(query))
        return envelope(INVITATION, found.invitations.map(showInvitation), found.totalCount)
      },
    }),
    httpOperation({
      ...own,
      name: 'answerInvitation',
      methods: ['POST'],
      path: '/api/invitation/:uid',
      needs: 'POST invitation/{uid}',
      summary: 'Accept or decline an invitation',
      ids: uidParams,
      input: checkedJson(invitationBody),
      answer: invitationAnswers.gone,
      run: async ({ acting, ids: { uid }, body }) => {
        await answerInvitation(identity, acting, uid, body.accept)
        return envelope(INVITATION, { uid })
      },
    }),
  ]
}
