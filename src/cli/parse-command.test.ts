import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { commands, parseCommand, UsageMistake } from './parse-command.ts'
import { printResult } from './print-result.ts'
import { usageText } from './usage-text.ts'

test('parseCommand() reads names, positional words, options and --json', () => {
  const check = (line: string, expected: object) =>
    assert.deepEqual(parseCommand(line.split(' ').filter((word) => word !== '')), expected, line)
  check('', { name: 'serve', options: {}, isJson: false })
  check('help', { name: 'help', options: {}, isJson: false })
  check('--version', { name: 'version', options: {}, isJson: false })
  check('user add --help', { name: 'help', options: {}, isJson: false })
  check('org list --json', { name: 'org list', options: {}, isJson: true })
  check('key add a --ip ::1 --ip=10.0.0.0/8', {
    name: 'key add',
    options: { name: ['a'], ip: ['::1', '10.0.0.0/8'] },
    isJson: false,
  })
  check('backup --with-key a.tar', {
    name: 'backup',
    options: { 'with-key': ['true'], target: ['a.tar'] },
    isJson: false,
  })
  check('key add a --capability unit=GET', {
    name: 'key add',
    options: { name: ['a'], capability: ['unit=GET'] },
    isJson: false,
  })
  check('user reset-password --password -x --json -- a@b.example', {
    name: 'user reset-password',
    options: { password: ['-x'], email: ['a@b.example'] },
    isJson: true,
  })
})

test('parseCommand() refuses what it does not know', () => {
  const check = (line: string, message: string) =>
    assert.throws(() => parseCommand(line.split(' ')), new UsageMistake(message), line)
  check('x', 'Unknown command "x"')
  check('user', 'Unknown command "user"')
  check('user fly', 'Unknown command "user fly"')
  check('org list x', 'org list has unexpected argument "x"')
  check('org list --a b', 'org list has no option --a')
  check('org list --json=1', 'org list has no option --json')
  check('backup --with-key=no a', '--with-key takes no value')
  check('org list -x', 'org list has no option -x')
  check('key add --name', '--name needs a value')
  check('key add', 'key add needs a name')
  check('key revoke --json', 'key revoke needs the UID of a key: see key list')
  check('org add Second', 'org add needs --owner-email')
  check('migrate influx http://127.0.0.1:8086', 'migrate influx needs --db <name>')
  check(
    'migrate influx --db x',
    'migrate influx needs the URL of InfluxDB, such as http://127.0.0.1:8086',
  )
  check('user add --role GUEST', 'user add needs an email address')
})

test('parseCommand() drops no word: of several only one would count', () => {
  const check = (line: string, message: string) =>
    assert.throws(() => parseCommand(line.split(' ')), new UsageMistake(message), line)
  check('key revoke a b', 'key revoke takes only one uid: unexpected "b"')
  check(
    'user add a@b.example c@b.example',
    'user add takes only one email: unexpected "c@b.example"',
  )
  check(
    'key add Boiler room',
    'key add takes only one name: unexpected "room" (put text with spaces in quotes)',
  )
  check('key list --org a --org b', 'key list takes only one org: unexpected --org')
  check('backup a b', 'backup takes only one target: unexpected "b"')
})

test('every command and option is in the usage text and in docs/cli.md', () => {
  const docs = readFileSync('docs/cli.md', 'utf8')
  for (const [name, options] of Object.entries(commands)) {
    if (name === 'help') continue
    for (const text of [usageText, docs]) assert.ok(text.includes(name), name)
    for (const option of options) {
      const isPositional = ['email', 'uid', 'name', 'target', 'backup', 'driver', 'url'].includes(
        option,
      )
      if (!isPositional) assert.ok(usageText.includes(`--${option}`), `${name} --${option}`)
      if (!isPositional) assert.ok(docs.includes(`--${option}`), `${name} --${option} in docs`)
    }
  }
})

test('printResult() lines up the fields of each record', () => {
  assert.equal(
    printResult([{ uid: 'a', capabilities: ['x', 'y'] }]),
    'uid           a\ncapabilities  x; y',
  )
  assert.equal(printResult([]), '(none)')
})
