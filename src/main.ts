/** The process: finds code that was compiled before, then loads and runs the service. */
import { enableCompileCache, flushCompileCache } from 'node:module'
import { join } from 'node:path'

// Stripping types and compiling is most of what a start does. A folder that cannot be written only
// means that every start does it again; threads find the folder by the environment.
const cacheFolder = join(import.meta.dirname, '..', 'node_modules', '.cache', 'weir')
process.env.NODE_COMPILE_CACHE ??= cacheFolder
enableCompileCache(process.env.NODE_COMPILE_CACHE)

const { exitWith, serve } = await import('./serve.ts')
serve().then(flushCompileCache, exitWith)
