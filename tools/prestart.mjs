// Runs before "npm start": checks Node, and builds the studio when its sources have changed and a builder is installed.
import './check-node.mjs'

// Loaded late: an older Node cannot read TypeScript.
const { builtStamp, sourceStamp } = await import('../src/http/pages/studio/studio-build.ts')
const wanted = sourceStamp()
if (wanted !== undefined && wanted !== builtStamp()) {
  const { tryBuildStudio } = await import('./studio/build-studio.ts')
  await tryBuildStudio()
}
