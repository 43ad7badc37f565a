import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { ConfigError, readConfig, type Setting, settings } from './config.ts'

function mistakesOf(environment: Record<string, string>): readonly string[] {
  try {
    readConfig(environment)
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes
    throw error
  }
  return []
}

function settingsFile(content: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'weir-config-')), 'weir.json')
  writeFileSync(file, content)
  return file
}

test('readConfig() gives the defaults when nothing is set', () => {
  const config = readConfig({ PATH: '/bin', WEIR_TEST_SEED: '7' })
  assert.equal(config.host, '127.0.0.1')
  assert.equal(config.port, 8080)
  assert.equal(config.dataDir, resolve('./data'))
  assert.equal(config.ownerPassword, undefined)
  assert.deepEqual(config.rateLimits.feed, { calls: 10_000, perMs: 10_000 })
})

test('readConfig() lists every mistake at once and never repeats a secret', () => {
  const mistakes = mistakesOf({
    WEIR_PORT: '70000',
    WEIR_OWNER_EMAIL: 'nobody',
    WEIR_OWNER_PASSWORD: 'short!!',
    WEIR_OWNER_TIME_ZONE: 'Mars/Olympus',
    WEIR_FEED_KEY: 'key with spaces in it',
    WEIR_TRUSTED_PROXIES: '10.0.0.0/8,proxy',
    WEIR_RATE_LIMITS: 'feed=many',
    WEIR_TLS_CERT: '/nowhere/cert.pem',
    WEIR_LOG_LEVEL: 'loud',
    WEIR_PROT: '8080',
  })
  const named = mistakes.map((mistake) => mistake.split(' ')[0])
  for (const name of [
    'WEIR_PORT',
    'WEIR_OWNER_EMAIL',
    'WEIR_OWNER_PASSWORD',
    'WEIR_OWNER_TIME_ZONE',
    'WEIR_FEED_KEY',
    'WEIR_TRUSTED_PROXIES',
    'WEIR_RATE_LIMITS',
    'WEIR_TLS_CERT',
    'WEIR_LOG_LEVEL',
    'WEIR_PROT',
  ]) {
    assert.ok(named.includes(name), `${name} in ${mistakes.join('; ')}`)
  }
  assert.ok(mistakes.includes('WEIR_TLS_CERT and WEIR_TLS_KEY must be set together'))
  assert.ok(!mistakes.join().includes('short!!') && !mistakes.join().includes('spaces in it'))
})

test('readConfig() reads the file WEIR_CONFIG and lets the environment win', () => {
  const file = settingsFile(
    '{"WEIR_PORT": 9000, "WEIR_HOST": "::1", "WEIR_TRUSTED_PROXIES": ["10.0.0.1", "::1"]}',
  )
  const config = readConfig({ WEIR_CONFIG: file, WEIR_HOST: '0.0.0.0' })
  assert.equal(config.port, 9000)
  assert.equal(config.host, '0.0.0.0')
  assert.deepEqual(config.trustedProxies, ['10.0.0.1', '::1'])
})

test('readConfig() names what is wrong with the file', () => {
  const check = (content: string, expected: RegExp) =>
    assert.match(mistakesOf({ WEIR_CONFIG: settingsFile(content) }).join('; '), expected)
  check('{', /WEIR_CONFIG must be a readable JSON file/)
  check('[]', /one JSON object/)
  check('{"WEIR_SPEED": 1}', /WEIR_SPEED \(in .*weir\.json\) is not a setting/)
  check('{"WEIR_PORT": "x"}', /WEIR_PORT must be an integer/)
  assert.match(mistakesOf({ WEIR_CONFIG: '/nowhere.json' }).join(), /WEIR_CONFIG/)
})

test('readConfig() takes rate limits as a preset or as own figures', () => {
  const figures = (text: string) => readConfig({ WEIR_RATE_LIMITS: text }).rateLimits
  assert.equal(figures('off').feed, undefined)
  assert.deepEqual(figures('classic').feed, { calls: 12, perMs: 120_000 })
  assert.deepEqual(figures('feed=5/2s,admin=off'), {
    feed: { calls: 5, perMs: 2_000 },
    admin: undefined,
    failed: { calls: 10, perMs: 60_000 },
  })
  for (const wrong of ['feed=0/1s', 'feed=1/0s', 'feed=1/1d', 'x=1/1s', 'on']) {
    assert.match(mistakesOf({ WEIR_RATE_LIMITS: wrong }).join(), /WEIR_RATE_LIMITS must be/, wrong)
  }
})

test('readConfig() looks at folders and certificates before anything is created', () => {
  const file = settingsFile('{}')
  assert.match(mistakesOf({ WEIR_DATA_DIR: file }).join(), /WEIR_DATA_DIR must be a folder/)
  const below = join(file, 'data')
  assert.match(mistakesOf({ WEIR_DATA_DIR: below }).join(), /WEIR_DATA_DIR must be a folder/)
  const both = { WEIR_TLS_CERT: file, WEIR_TLS_KEY: file }
  assert.match(mistakesOf(both).join(), /WEIR_TLS_CERT and WEIR_TLS_KEY must contain a PEM/)
  assert.deepEqual(mistakesOf({ WEIR_DATA_DIR: join(file, '..', 'a', 'b') }), [])
})

test('docs/configuration.md lists the same settings with the same defaults and meanings', () => {
  const rows = readFileSync('docs/configuration.md', 'utf8')
    .split('\n')
    .filter((line) => /^\| `WEIR_/.test(line))
  const expected = (Object.values(settings) as Setting<unknown>[]).map(
    ({ name, default: fallback, meaning }) =>
      `| \`${name}\` | ${fallback === '' ? '' : `\`${fallback}\``} | ${meaning} |`,
  )
  assert.deepEqual(rows, expected)
})
