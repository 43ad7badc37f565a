const UNITS: Readonly<Record<string, string>> = { sec: 'seconds', min: 'minutes' }
const LENGTH = /^(\d+)(sec|min)$/

/** What the periods of a cycle are called: `10sec` is 10 seconds. */
export function cycleWords(name: string): string {
  const found = LENGTH.exec(name)
  return found === null ? name : `${found[1]} ${UNITS[found[2]]}`
}
