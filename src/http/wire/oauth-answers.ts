/** OAuth clients and grants as they are answered. */

import { Type } from '../../base/index.ts'
import { EXAMPLE_UID, msOf, named, oneOf } from '../openapi/answer-schema.ts'

const uid = Type.String()
const EXAMPLE_TIME = 1767225600000

const clientFields = {
  name: Type.String(),
  logo: Type.String(),
  redirectUris: Type.Array(Type.String()),
  type: oneOf(['confidential', 'public']),
  mayUseLogin: Type.Boolean(),
}
const clientExample = {
  name: 'Report',
  logo: '',
  redirectUris: ['https://report.example/cb'],
  type: 'confidential',
  mayUseLogin: false,
}

/** A client that is not saved. */
export const blankClient = named('BlankOAuthClient', clientFields, clientExample)

/** A registered client. */
export const clientRecord = named(
  'OAuthClient',
  {
    uid,
    clientId: Type.String({ description: 'The UID, as OAuth calls it' }),
    ...clientFields,
    creationDate: msOf('When it was registered'),
    clientSecret: Type.Optional(
      Type.String({ description: 'Only in the answer to the call that made it' }),
    ),
  },
  { uid: EXAMPLE_UID, clientId: EXAMPLE_UID, ...clientExample, creationDate: EXAMPLE_TIME },
)

/** What a user allowed a client. */
export const grantRecord = named(
  'OAuthGrant',
  {
    uid,
    clientId: Type.String(),
    clientName: Type.String(),
    isRegistered: Type.Boolean(),
    redirectHost: Type.String(),
    scope: Type.String(),
    creationDate: msOf('When it was allowed'),
    lastRefreshDate: msOf('When tokens were last given'),
  },
  {
    uid: EXAMPLE_UID,
    clientId: 'report',
    clientName: 'report',
    isRegistered: false,
    redirectHost: 'report.example',
    scope: 'feed:read',
    creationDate: EXAMPLE_TIME,
    lastRefreshDate: EXAMPLE_TIME,
  },
)
