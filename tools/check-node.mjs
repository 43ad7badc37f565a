// Runs before the npm scripts, and on any Node: the TypeScript sources need Node 26 to be read at all.
const [major] = process.versions.node.split('.').map(Number)
if (major < 26) {
  console.error(
    `Weir needs Node 26 and this is ${process.version}. The npm package "node" brings it: run "npm ci" with ` +
      'install scripts allowed (npm 11 or newer), then use "npm start", "npm test" and "npm run weir".',
  )
  process.exit(1)
}
