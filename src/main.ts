/** The process: finds code that was compiled before, then loads and runs the service. */
import { enableCompileCache, flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'

// Stripping types and compiling is most of what a start does. A folder that cannot be written only
// means that every start does it again; threads find the folder by the environment.
const cacheFolder = join(import.meta.dirname, '..', 'node_modules', '.cache', 'weir')
process.env.NODE_COMPILE_CACHE ??= cacheFolder
enableCompileCache(process.env.NODE_COMPILE_CACHE)

// Bodies and columns are buffers outside the heap. By default every 32 MB of them forces a full
// collection, six a second under bulk puts; counted with the heap they follow its own limits.
setFlagsFromString('--external-memory-accounted-in-global-limit')

const { exitWith, serve } = await import('./serve.ts')
serve().then(flushCompileCache, exitWith)
