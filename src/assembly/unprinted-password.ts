/** A mark in the data folder: a first start makes a password, that is not printed yet. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const NAME = 'untold'

/** Leaves the mark, with the account that is about to be made: a start can be killed before it prints the password. */
export function markUnprinted(dataDir: string, email: string): void {
  writeFileSync(join(dataDir, NAME), `${email}\n`, { mode: 0o600, flush: true })
}

/** Removes the mark. Returns the account whose password was not printed, or undefined without a mark. */
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

/** The text for a start whose password was never printed. */
export function unprintedText(email: string): string {
  return (
    `The account ${email} was created, but its password was not printed. Set one with ` +
    `weir user reset-password ${email}. Then find API keys under Admin`
  )
}
