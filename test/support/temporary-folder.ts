import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folders: string[] = []

/**
 * Makes a folder that goes when the process ends. Not in a hook of the test: hooks run in the order in which they were
 * registered, so the folder would be removed before the store in it is closed.
 */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'weir-test-'))
  folders.push(folder)
  return folder
}

process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})
