/** The process: finds code that was compiled before, then loads and runs the service. */
import { enableCompileCache, flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { installationFolder, isSingleFile } from './base/installation.ts'

// Stripping types and compiling is most of what a start does. A folder that cannot be written only
// means that every start does it again; threads find the folder by the environment. Node keeps no such code of a single
// executable.
if (!isSingleFile) {
  process.env.NODE_COMPILE_CACHE ??= join(installationFolder, 'node_modules', '.cache', 'weir')
  enableCompileCache(process.env.NODE_COMPILE_CACHE)
}

const { exitWith, serve } = await import('./serve.ts')
// What serves calls and seals is compiled at its first use, not after hundreds: what runs once, to
// load the service, is done by here.
setFlagsFromString('--always-sparkplug')
serve().then(() => {
  // The last tier of compiling takes a second of processor time for what a few thousand calls run: only what goes on
  // beyond a hundred thousand is worth it. What runs for each sample of bulk puts is there within a hundred calls, and must
  // be: the tier before takes three to five times as long to read a body. What runs once a call loses little by waiting.
  // A start, which may load millions of streams, is worth it at once.
  setFlagsFromString('--invocation-count-for-turbofan=100000')
  flushCompileCache()
}, exitWith)
