import { Type } from 'typebox'
import type { Method, Principal } from '../../access/index.ts'
import {
  type AuditLog,
  actorName,
  findGrant,
  listGrants,
  type OAuthBase,
  revokeGrant,
} from '../../auth/index.ts'
import { refuse } from '../../base/index.ts'
import type { Gate } from '../admit/gate.ts'
import type { App } from '../app-type.ts'
import { exchangeOf } from '../transport/exchange.ts'
import { envelope, pageSchema, readPage } from '../wire/envelope.ts'
import { showGrant } from '../wire/oauth-client-wire.ts'

const NAME = 'oauth_grant'
const tags = ['oauth']

/** Adds the resource oauth_grant: users see what they allowed clients, and take it back. */
export function oauthGrantRoutes(
  app: App,
  deps: { readonly oauth: OAuthBase; readonly gate: Gate; readonly audit: AuditLog },
): void {
  const { oauth, gate, audit } = deps
  const onRequest = gate.guard('admin')
  const list = { tags, summary: 'What you allowed OAuth clients', querystring: pageSchema }
  app.get(`/api/${NAME}`, { onRequest, schema: list }, async ({ principal, query }) => {
    const page = { userUid: requireUser(principal, 'GET'), ...readPage(query) }
    const { grants, totalCount } = await listGrants(oauth, page)
    return envelope(NAME, grants.map(showGrant), totalCount)
  })
  const params = Type.Object({ uid: Type.String() })
  const remove = { tags, summary: 'Take back what you allowed an OAuth client', params }
  app.delete(`/api/${NAME}/:uid`, { onRequest, schema: remove }, async (request) => {
    const { principal } = request
    const userUid = requireUser(principal, 'DELETE')
    const { uid } = request.params
    const grant = await findGrant(oauth, uid)
    if (grant?.userUid !== userUid) {
      refuse('not_found', { what: `Cannot find oauth_grant "${uid.slice(0, 100)}"` })
    }
    await revokeGrant(oauth, uid)
    await audit.record({
      orgUid: principal.orgUid,
      act: 'grant_revoked',
      actor: actorName(principal),
      target: uid,
      address: exchangeOf(request.raw)?.address ?? '',
      detail: grant.clientName,
    })
    return { message: '', success: true }
  })
}

/** The user whose grants are meant: their own business whatever their role, but not a narrow token's. */
function requireUser({ actor, scope }: Principal, method: Method): string {
  if (actor.kind !== 'user') {
    refuse('forbidden', { what: 'Grants belong to users: sign in instead of using an API key' })
  }
  if (scope !== undefined && !scope.gives(NAME, method)) {
    refuse('forbidden', { what: `This token's scope has no ${method} on ${NAME}: it needs admin` })
  }
  return actor.userUid
}
