/** The component that was seen last, by organization: where the beginning leads. */

const keyOf = (orgUid: string) => `weir.seen.${orgUid}`

/** Remembers the component that a path is of; other paths change nothing. */
export function rememberSeen(orgUid: string, path: string): void {
  const [, first, component = ''] = path.split('/')
  if (first === 'c' && component !== '') localStorage.setItem(keyOf(orgUid), `/c/${component}`)
}

/** The path of the component that was seen last. */
export function lastSeen(orgUid: string): string | undefined {
  return localStorage.getItem(keyOf(orgUid)) ?? undefined
}
