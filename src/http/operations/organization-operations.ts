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
import { answersOf } from '../openapi/answer-schema.ts'
import { checkedJson, type HttpOperation, httpOperation } from '../table/http-operation.ts'
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

/** What the operations of organizations need. */
interface OrganizationOperationsDeps {
  readonly identity: Identity
  /** What deletes an organization with everything below it. */
  readonly deletion: DeletionParts
  readonly quotas: Quotas
  readonly usageOf: (organization: Organization) => Promise<OrganizationUsage>
}

const NAME = 'organization'
const answers = answersOf(NAME, organizationRecord)
const all = { path: '/api/organization', callers: 'admin', tag: NAME } as const
const one = { ...all, path: '/api/organization/:uid', ids: uidParams } as const

/** The caller's organizations: list, one, new, insert, update, delete. */
export function organizationOperations(deps: OrganizationOperationsDeps): HttpOperation[] {
  return [...readingOperations(deps), ...writingOperations(deps)]
}

/** The record with what the organization may have and what it has. */
async function showWhole(organization: Organization, deps: OrganizationOperationsDeps) {
  const usage = await deps.usageOf(organization)
  return { ...showOrganization(organization), quota: showQuotas(deps.quotas), usage }
}

function readingOperations(deps: OrganizationOperationsDeps): HttpOperation[] {
  const { identity } = deps
  return [
    httpOperation({
      ...all,
      name: 'listOrganizations',
      methods: ['GET'],
      needs: 'GET organization',
      summary: 'Your organizations',
      query: pageSchema,
      answer: answers.page,
      run: async ({ acting, query }) => {
        const found = await listOrganizations(identity, acting, readPage(query))
        const shown = []
        for (const each of found.organizations) shown.push(await showWhole(each, deps))
        return envelope(NAME, shown, found.totalCount)
      },
    }),
    httpOperation({
      ...all,
      name: 'newOrganization',
      methods: ['GET'],
      path: '/api/organization/new',
      needs: 'GET organization',
      summary: 'Default values of a new organization',
      answer: answersOf(NAME, blankOrganization).one,
      run: ({ acting }) => envelope(NAME, makeOrganization(acting)),
    }),
    httpOperation({
      ...one,
      name: 'getOrganization',
      methods: ['GET'],
      needs: 'GET organization/{uid}',
      summary: 'One of your organizations',
      answer: answers.one,
      run: async ({ acting, ids }) =>
        envelope(NAME, await showWhole(await getOrganization(identity, acting, ids.uid), deps)),
    }),
  ]
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
    return [`${name} is limited to ${figure.calls} requests per ${figure.perMs / 1_000} s`]
  })
  // Failed credentials are counted before it is known which organization they belong to.
  if (/\bfailed=/.test(rateLimits)) capped.push('only the operator can set failed')
  return capped.length === 0 ? [] : [`The operator limits rateLimits: ${capped.join('; ')}`]
}

function writingOperations(deps: OrganizationOperationsDeps): HttpOperation[] {
  const { identity, deletion } = deps
  return [
    httpOperation({
      ...all,
      name: 'insertOrganization',
      methods: ['PUT'],
      needs: 'PUT organization',
      summary: 'Create an organization',
      input: checkedJson(organizationBody),
      answer: answers.one,
      run: async (call) => {
        const given = readOrganization(call.body)
        const created = await insertOrganization(identity, call.acting, given)
        call.warn(warnCapped(created, identity))
        return envelope(NAME, await showWhole(created, deps))
      },
    }),
    httpOperation({
      ...one,
      name: 'updateOrganization',
      methods: ['POST'],
      needs: 'POST organization/{uid}',
      summary: 'Change the organization of the request',
      input: checkedJson(organizationBody),
      answer: answers.one,
      run: async (call) => {
        const changes = readOrganization(call.body)
        const changed = await changeOrganization(identity, call.acting, call.ids.uid, changes)
        if (changes.rateLimits !== undefined) call.warn(warnCapped(changed, identity))
        return envelope(NAME, await showWhole(changed, deps))
      },
    }),
    httpOperation({
      ...one,
      name: 'deleteOrganization',
      methods: ['DELETE'],
      needs: 'DELETE organization/{uid}',
      summary: 'Delete the organization of the request with everything in it',
      headers: passwordHeader,
      answer: answers.gone,
      run: async ({ acting, ids: { uid } }) => {
        await removeOrganization(deletion, acting, uid)
        return envelope(NAME, { uid })
      },
    }),
  ]
}
