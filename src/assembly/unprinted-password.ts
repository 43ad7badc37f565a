/** A mark in the data folder: a first start makes a password, and has told nobody yet. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const NAME = 'untold'

/** Leaves the mark, with the account that is about to be made: a start can be killed before it tells the password. */
export function markUnprinted(dataDir: string, email: string): void {
  writeFileSync(join(dataDir, NAME), `${email}\n`, { mode: 0o600, flush: true })
}

/** Takes the mark away; answers the account whose password nobody was told, undefined where there is no mark. */
export function takeUnprinted(dataDir: string): string | undefined {
  const path = join(dataDir, NAME)
  try {
    const email = readFileSync(path, 'utf8').trim()
    rmSync(path)
    return email
  } catch {
    // A mark that cannot be read is worth no failed start.
    return undefined
  }
}

/** How somebody who was told no password comes to one. */
export function unprintedText(email: string): string {
  return (
    `The account ${email} was created, but its password was not printed. Set one with ` +
    `npm run weir -- user reset-password ${email}. Then find API keys under Admin`
  )
}
