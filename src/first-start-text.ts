import type { CreatedOrganization } from './auth/index.ts'

/** What is told once, on the first start: how to sign in, and a call that works when pasted. */
export function firstStartText(address: string, created: CreatedOrganization): string {
  const { organization, owner, password, feedKey } = created
  const put = `${address}/api/feed?compId=hello&temperature=21.5&api_key=${feedKey}`
  const property = `${address}/api/comp/hello/property?name&api_key=${feedKey}`
  return [
    '',
    'Weir is ready. Keep this: it is shown once.',
    '',
    `  address       ${address}`,
    `  e-mail        ${owner.email}`,
    `  password      ${password ?? '(unchanged)'}`,
    `  organization  ${organization.uid}`,
    `  feed key      ${feedKey}`,
    '',
    'Store a sample, then read a property of the component it created:',
    '',
    `  curl -X PUT '${put}'`,
    `  curl '${property}'`,
    '',
  ].join('\n')
}
