/** Writes the types of the API for the studio, from the service's own description; no service has to run. */

import { createHash } from 'node:crypto'
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { openApp } from '../../src/app.ts'
import { createLog, readConfig } from '../../src/base/index.ts'
import { clientTypesOf } from './client-types.ts'

const root = join(import.meta.dirname, '..', '..')
const typesFile = join(root, 'studio', 'src', 'api', 'generated', 'weir.ts')

/** Makes studio/src/api/generated/weir.ts unless it is of the same sources of the service. */
export async function makeStudioTypes(): Promise<void> {
  const mark = `// ${sourceMark()}\n`
  if (readTypes().startsWith(mark)) return
  const types = await clientTypesOf(await describeService())
  mkdirSync(dirname(typesFile), { recursive: true })
  writeFileSync(typesFile, `${mark}${types}`)
}

/** Changes when a source that the description is made of does. */
function sourceMark(): string {
  const hash = createHash('sha256')
  const files = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'))
  for (const file of files.sort()) {
    const { size, mtimeMs } = statSync(join(root, file))
    hash.update(`${file} ${size} ${mtimeMs}\n`)
  }
  return hash.digest('hex')
}

function readTypes(): string {
  try {
    return readFileSync(typesFile, 'utf8')
  } catch {
    return ''
  }
}

/** The description of the API, from a service over an empty folder that does not listen. */
async function describeService(): Promise<object> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-types-'))
  try {
    const config = readConfig({ WEIR_PORT: '0', WEIR_DATA_DIR: folder })
    const app = await openApp(config, { log: createLog({ level: 'silent' }) })
    const description = app.server.describe()
    await app.close()
    return description
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) await makeStudioTypes()
