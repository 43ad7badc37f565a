import type { CreatedOrganization } from '../auth/administer/index.ts'
import type { Config } from '../base/index.ts'
import { BUILD_COMMAND } from '../http/index.ts'
import { isForThisMachine } from './app-settings.ts'

const ONLY_HERE =
  'Only this machine can connect. To allow others, set WEIR_HOST=0.0.0.0 and TLS (docs/operations.md).'
const NO_STUDIO = `The studio is not built yet. To build it, stop the service and run:
  ${BUILD_COMMAND}`

/**
 * The text of the first start: how to sign in, and a call that works when pasted. A
 * password or key that the operator gave is known to them and stays out of terminals and journals.
 */
export function firstStartText(
  address: string,
  created: CreatedOrganization,
  given: Config,
  hasStudio: boolean,
): string {
  const { organization, owner } = created
  const password = given.ownerPassword === undefined ? created.password : undefined
  const feedKey = given.feedKey === undefined ? created.feedKey : undefined
  const hasSecret = password !== undefined || feedKey !== undefined
  const [key, quote] = feedKey === undefined ? ['$WEIR_FEED_KEY', '"'] : [feedKey, "'"]
  const header = `-H ${quote}X-Api-Key: ${key}${quote}`
  const put = `${address}/api/feed?compId=hello&temperature=21.5`
  const read = `${address}/api/comp/hello/last_value?retStreamId`
  return [
    '',
    hasSecret
      ? 'Weir is ready. Save these credentials: they are shown only once.'
      : 'Weir is ready.',
    '',
    `  address       ${address}`,
    `  email         ${owner.email}`,
    `  password      ${password ?? '(as set in WEIR_OWNER_PASSWORD)'}`,
    `  organization  ${organization.uid}`,
    `  feed key      ${feedKey ?? '(as set in WEIR_FEED_KEY)'}`,
    '',
    ...(isForThisMachine(given) ? [ONLY_HERE, ''] : []),
    ...(hasStudio ? ['Open the address in a browser and sign in.'] : [NO_STUDIO]),
    'To store a sample and read it back:',
    '',
    `  curl -X PUT ${header} '${put}'`,
    `  curl ${header} '${read}'`,
    '',
  ].join('\n')
}
