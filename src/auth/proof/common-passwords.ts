import { createRequire } from 'node:module'

let known: ReadonlySet<string> | undefined

/**
 * Whether a password is one of the 49,000 that people choose most, in any case. The list is a
 * package's; it is read when a first password is set, and only what is long enough is kept.
 */
export function isCommonPassword(password: string, lengthMin: number): boolean {
  known ??= readList(lengthMin)
  return known.has(password.toLowerCase())
}

function readList(lengthMin: number): ReadonlySet<string> {
  const { dictionary } = createRequire(import.meta.url)('@zxcvbn-ts/language-common') as {
    readonly dictionary: { readonly 'passwords-common': readonly string[] }
  }
  return new Set(dictionary['passwords-common'].filter(({ length }) => length >= lengthMin))
}
