/** The process: finds code that was compiled before, then loads and runs the service. */
import { enableCompileCache, flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'

// Stripping types and compiling is most of what a start does. A folder that cannot be written only
// means that every start does it again; threads find the folder by the environment.
const cacheFolder = join(import.meta.dirname, '..', 'node_modules', '.cache', 'weir')
process.env.NODE_COMPILE_CACHE ??= cacheFolder
enableCompileCache(process.env.NODE_COMPILE_CACHE)

// Bodies and columns are buffers outside the heap, and V8 collects by their amount too. Counting them
// with the heap made bulk puts 1.07 to 1.5 times as fast in four pairs of runs on a machine whose runs
// differ by a fifth. Full collections fell little (33 to 28 in a pair), so the reason is not known.
setFlagsFromString('--external-memory-accounted-in-global-limit')

const { exitWith, serve } = await import('./serve.ts')
serve().then(flushCompileCache, exitWith)
