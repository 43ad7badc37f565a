import type { CreatedOrganization } from '../auth/index.ts'
import type { Config } from '../base/index.ts'
import { isForThisMachine } from './app-settings.ts'

const ONLY_HERE =
  'Only this machine can reach it: WEIR_HOST=0.0.0.0 lets others in, docs/operations.md adds TLS.'

/**
 * What is told once, on the first start: how to sign in, and a call that works when pasted. A
 * password or key that the operator gave is known to them and stays out of terminals and journals.
 */
export function firstStartText(
  address: string,
  created: CreatedOrganization,
  given: Config,
): string {
  const { organization, owner } = created
  const password = given.ownerPassword === undefined ? created.password : undefined
  const feedKey = given.feedKey === undefined ? created.feedKey : undefined
  const hasSecret = password !== undefined || feedKey !== undefined
  const [key, quote] = feedKey === undefined ? ['$WEIR_FEED_KEY', '"'] : [feedKey, "'"]
  const header = `-H ${quote}X-Api-Key: ${key}${quote}`
  const put = `${address}/api/feed?compId=hello&temperature=21.5`
  const property = `${address}/api/comp/hello/property?name`
  return [
    '',
    hasSecret ? 'Weir is ready. Keep this: it is shown once.' : 'Weir is ready.',
    '',
    `  address       ${address}`,
    `  e-mail        ${owner.email}`,
    `  password      ${password ?? '(as set in WEIR_OWNER_PASSWORD)'}`,
    `  organization  ${organization.uid}`,
    `  feed key      ${feedKey ?? '(as set in WEIR_FEED_KEY)'}`,
    '',
    ...(isForThisMachine(given) ? [ONLY_HERE, ''] : []),
    'Open the address in a browser and sign in, or store a sample from here, then read a property\nof the component it created:',
    '',
    `  curl -X PUT ${header} '${put}'`,
    `  curl ${header} '${property}'`,
    '',
  ].join('\n')
}
