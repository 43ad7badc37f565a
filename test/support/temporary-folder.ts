import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

/** Makes a folder that goes with the test, or that the caller removes when there is none. */
export function temporaryFolder(t?: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'weir-test-'))
  t?.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
