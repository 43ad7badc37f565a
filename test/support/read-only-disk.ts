/** Loaded into a process before all else: what lies at or under WEIR_TEST_READ_ONLY is on a read-only disk. */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { resolve } from 'node:path'

const { accessSync } = fs

fs.accessSync = (path, mode = fs.constants.F_OK) => {
  const place = process.env.WEIR_TEST_READ_ONLY ?? ''
  accessSync(path, mode)
  if ((mode & fs.constants.W_OK) === 0 || !resolve(String(path)).startsWith(place)) return
  const error = new Error(`EROFS: read-only file system, access '${path}'`)
  throw Object.assign(error, { code: 'EROFS', syscall: 'access' })
}

syncBuiltinESMExports()
