/** What no source of the service does: each would need a defence of its own (docs/security.md). */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const sources = globSync(['src/**/*.ts', 'src/**/*.js']).filter((file) => !/\.test\.ts$/.test(file))

/** The sources that hold what a pattern finds, but for those that may. */
function holders(pattern: RegExp, allowed: readonly string[] = []): string[] {
  return sources.filter(
    (file) => !allowed.includes(file) && pattern.test(readFileSync(file, 'utf8')),
  )
}

test('no source runs programs or text as code', () => {
  assert.ok(sources.length > 300)
  // Runners of GS SQL are processes, so that they can be killed: one file starts them, from a line of
  // the service's own paths and numbers.
  const starter = 'src/sql/run/spawn-runner.ts'
  const programs = /node:(?:child_process|vm|cluster|inspector)\b|\bimport\(\s*[^'"]/
  // One tries which programs of the system can take privileges from them, and one compiles their code ahead.
  const helpers = ['src/sql/run/isolation.ts', 'src/sql/run/runner-command.ts']
  for (const helper of helpers) {
    const text = readFileSync(helper, 'utf8')
    assert.equal(text.match(/promisify\(execFile\)\(program,/g)?.length, 1)
    assert.doesNotMatch(text, /node:(?:vm|cluster|inspector)\b|\b(?:exec|fork|spawn)\w*\(|shell:/)
  }
  // The command `weir add` runs npm, with constant arguments; the service does not load this file.
  const installer = 'src/connectors/driver/install-driver.ts'
  // The command `weir version` of a clone asks git for its commit; the service does not load this file either.
  const versions = 'src/version-command.ts'
  assert.deepEqual(holders(programs, [starter, ...helpers, installer, versions]), [])
  assert.deepEqual(holders(/\/version-command\.ts'/), ['src/weir.ts'])
  assert.equal(readFileSync(versions, 'utf8').match(/\bexec\w*\('git', \['rev-parse'/g)?.length, 1)
  assert.deepEqual(holders(/\/install-driver\.ts'/), ['src/add-command.ts'])
  assert.equal(readFileSync(installer, 'utf8').match(/\bexecFile\('npm', args,/g)?.length, 1)
  const started = readFileSync(starter, 'utf8')
  assert.equal(started.match(/\bspawn\w*\(\s*SHELL,/g)?.length, 1)
  assert.doesNotMatch(started, /node:(?:vm|cluster|inspector)\b|\b(?:exec|fork|execFile)\w*\(/)
  assert.deepEqual(holders(/\beval\(|\bnew Function\b|\bsetTimeout\(\s*['"`]/), [])
})

test('no source of the service calls out but the one that judges where to', () => {
  // Databases that imports read are connected to by this file alone; drivers are given its sockets.
  const wayOut = 'src/connectors/outbound/connect-outbound.ts'
  // The page's script asks the service itself; the command line asks it over a socket of the folder.
  // `weir migrate` calls the servers that the operator names; the service does not load this file.
  const migration = 'src/migrate/call-server.ts'
  const own = ['src/http/pages/authorize/authorize.js', 'src/cli/send-command.ts']
  // The demonstration calls its own service, or the one that WEIR_URL names.
  const demonstration = 'src/demo/demo-client.ts'
  // Webhooks of alerts go over sockets that this file gets from the way out.
  const webhooks = 'src/alerts/delivery/post-webhook.ts'
  const posted = readFileSync(webhooks, 'utf8')
  assert.equal(posted.match(/\brequest\(\{\n\s+createConnection: \(\) => socket,/g)?.length, 1)
  assert.equal(posted.match(/\brequest\(/g)?.length, 1)
  assert.equal(posted.match(/\bconnectTls\(\{ socket: plain, /g)?.length, 1)
  assert.equal(posted.match(/\bconnectTls\(/g)?.length, 1)
  const callers = [...own, migration, demonstration, webhooks, wayOut]
  assert.deepEqual(holders(/\/demo\/index\.ts'/), ['src/demo-command.ts', 'src/demo-service.ts'])
  assert.deepEqual(holders(/\/migrate\/index\.ts'/), ['src/migrate-command.ts'])
  assert.deepEqual(
    holders(/\bfetch\(|\b(?:http|https|net|tls)\.(?:request|get|connect)\(/, callers),
    [],
  )
  const imported = /import \{[^}]*\b(?:request|connect|createConnection)\b[^}]*\} from 'node:/
  assert.deepEqual(holders(imported, callers), [])
  const resolvers = /from '(?:undici|node:dns(?:\/promises)?|node:dgram|node:http2)'/
  assert.deepEqual(holders(resolvers, [wayOut]), [])
})

test('no script of a page makes markup of text', () => {
  const scripts = sources.filter((file) => file.endsWith('.js'))
  assert.ok(scripts.length > 0)
  const markup = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment/
  assert.deepEqual(holders(markup), [])
})

test('secrets come from the system, and no hash in use is a broken one', () => {
  assert.deepEqual(holders(/\bMath\.random\b/), [])
  const hashes = sources.flatMap((file) =>
    [
      ...readFileSync(file, 'utf8').matchAll(/create(?:Hash|Hmac)\('([^']+)'|\bhash\('([^']+)'/g),
    ].map((match) => match[1] ?? match[2]),
  )
  assert.ok(hashes.length > 0)
  // Authenticator apps know no other: RFC 6238 rests on HMAC, which what broke SHA-1 does not touch.
  assert.deepEqual(holders(/sha-?1\b/i), ['src/auth/proof/totp.ts'])
  assert.deepEqual(holders(/createHmac\('sha1'/), ['src/auth/proof/totp.ts'])
  assert.deepEqual([...new Set(hashes)].sort(), ['sha1', 'sha256'])
})

test('dependencies have exact versions, and every package a checksum', () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
    assert.match(String(version), /^(?:npm:[a-z-]+@)?\d+\.\d+\.\d+$/, name)
  }
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
  const unchecked = Object.entries<{ integrity?: string }>(packages)
    .filter(([path, { integrity }]) => path !== '' && !integrity?.startsWith('sha512-'))
    .map(([path]) => path)
  assert.deepEqual(unchecked, [])
})
