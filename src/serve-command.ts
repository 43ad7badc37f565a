/** `weir serve`: the same process as `npm start`, with the same memory settings. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installationFolder, isSingleFile } from './base/index.ts'

/** Flags that Node reads only when it starts. `npm start` and the single executable have the same. */
const NODE_FLAGS = ['--max-semi-space-size=16']

/** Variables that the C library and Node read only when a process starts; others of the user come first. */
const START_SETTINGS: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '1048576',
  // A single executable has compiled code inside.
  ...(isSingleFile ? {} : compileCache()),
}

function compileCache(): Readonly<Record<string, string>> {
  return { NODE_COMPILE_CACHE: join(installationFolder, 'node_modules', '.cache', 'weir') }
}

/**
 * Runs the service until it is stopped. A process that was started without the settings is replaced by one that has
 * them. The process ID stays the same, so signals and the exit code need no forwarding.
 */
export async function runServe(): Promise<void> {
  // Windows cannot replace a process, and its C library has no such settings.
  if (!hasSettings() && process.platform !== 'win32') replaceProcess()
  await import('./main.ts')
}

/** Returns only if the system does not replace the process. Emulators do not, for example. */
function replaceProcess(): void {
  const words = isSingleFile
    ? [process.execPath, 'serve']
    : [process.execPath, ...NODE_FLAGS, ...process.execArgv, serviceFile()]
  try {
    process.execve?.(process.execPath, words, { ...START_SETTINGS, ...process.env })
  } catch {
    // The settings save memory. The service works without them.
  }
}

/** The file that `npm start` runs. */
function serviceFile(): string {
  return fileURLToPath(new URL('./main.ts', import.meta.url))
}

function hasSettings(): boolean {
  const hasFlags = NODE_FLAGS.every((flag) => process.execArgv.includes(flag))
  return hasFlags && Object.keys(START_SETTINGS).every((name) => process.env[name] !== undefined)
}
