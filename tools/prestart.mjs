// Runs before "npm start": checks Node, and builds the studio when its sources are not those it was built from.
import './check-node.mjs'
import { builtStamp, studioStamp } from './studio/stamp.mjs'

const wanted = studioStamp()
if (wanted !== undefined && wanted !== builtStamp()) {
  const { tryBuildStudio } = await import('./studio/build-studio.ts')
  await tryBuildStudio()
}
