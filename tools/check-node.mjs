// Runs before the npm scripts, and on any Node: the TypeScript sources need Node 26 to be read at all.
const [major] = process.versions.node.split('.').map(Number)
if (major < 26) {
  console.error(
    `Weir needs Node 26 and this is ${process.version}. It comes with the packages: run "npm ci" (without --omit=optional), ` +
      'then use "npm start", "npm test" and "npm run weir".',
  )
  process.exit(1)
}
