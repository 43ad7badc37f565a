import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { test } from 'node:test'
import { embeddedIpv4 } from './embedded-address.ts'
import { OutboundRules } from './outbound-rules.ts'

const rules = new OutboundRules()

test('OutboundRules refuses loopback, link-local, metadata and no one host in every spelling', () => {
  const check = (what: RegExp, ...addresses: readonly string[]) => {
    for (const address of addresses)
      assert.match(rules.findRefusal('db', address) ?? 'nothing', what, address)
  }
  check(/loopback/, '127.0.0.1', '127.255.255.254', '0.0.0.0', '0.1.2.3', '::1', '::')
  check(
    /loopback/,
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::FFFF:7F00:0001',
    '0:0:0:0:0:ffff:7f00:1',
  )
  check(/loopback/, '::127.0.0.1', '::7f00:1', '64:ff9b::7f00:1', '64:ff9b:1::127.0.0.1')
  check(/loopback/, '2002:7f00:1::', '2002:7f00:0001:1::5', '::ffff:0:127.0.0.1', '::ffff:0.0.0.0')
  check(/link-local/, '169.254.1.1', 'fe80::1', 'fe80::1%eth0', 'febf::1', '::ffff:169.254.1.1')
  check(/metadata/, '169.254.169.254', '::ffff:169.254.169.254', '64:ff9b::a9fe:a9fe')
  check(/metadata/, '168.63.129.16', '100.100.100.200', 'fd00:ec2::254', 'fd00:0ec2:0:0:0:0:0:0254')
  check(/not a unicast address/, '224.0.0.1', '255.255.255.255', 'ff02::1')
  check(/not an IP address/, '', 'db.example.com', '300.1.1.1', '127.1')
})

test('OutboundRules lets private and public networks be reached', () => {
  const open = [
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '8.8.8.8',
    '169.253.1.1',
    'fd00::1',
    '2001:db8::1',
    '::ffff:10.0.0.1',
    '64:ff9b::808:808',
    '2002:808:808::1',
  ]
  for (const address of open) assert.equal(rules.findRefusal('db', address), undefined, address)
})

test('OutboundRules lets in what the operator names: hosts, addresses and ranges', () => {
  const check = (allowed: string, host: string, address: string, isOpen: boolean) =>
    assert.equal(
      new OutboundRules({ allow: [allowed] }).findRefusal(host, address) === undefined,
      isOpen,
      `${allowed}: ${host} at ${address}`,
    )
  check('127.0.0.1', 'db', '127.0.0.1', true)
  check('127.0.0.1', 'db', '::ffff:127.0.0.1', true)
  check('127.0.0.1', 'db', '127.0.0.2', false)
  check('127.0.0.1', 'db', '::1', false)
  check('127.0.0.0/8', 'db', '127.9.9.9', true)
  check('::ffff:127.0.0.0/104', 'db', '127.9.9.9', true)
  check('::1', 'localhost', '::1', true)
  check('fe80::/10', 'db', 'fe80::5%eth0', true)
  check('DB.Internal', 'db.internal', '127.0.0.1', true)
  check('db.internal', 'DB.INTERNAL.', '::1', true)
  check('db.internal', 'other.db.internal', '127.0.0.1', false)
  check('db.internal', 'evil.example', '127.0.0.1', false)
  check('169.254.0.0/16', 'db', '169.254.169.254', true)
})

test('OutboundRules refuses the addresses that this machine has at the moment, in every spelling', () => {
  let own = ['10.1.2.3', 'fd00::5', 'fe80::7%eth0']
  const here = (allow: readonly string[] = []) => new OutboundRules({ allow }, () => own)
  for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '64:ff9b::a01:203', 'fd00::5', 'FD00:0::5'])
    assert.match(here().findRefusal('db', address) ?? 'nothing', /^an address of this machine/)
  assert.equal(here().findRefusal('db', '10.1.2.4'), undefined)
  assert.equal(here(['10.1.2.3']).findRefusal('db', '10.1.2.3'), undefined)
  assert.match(here(['10.1.2.3']).findRefusal('db', 'fd00::5') ?? 'nothing', /this machine/)
  const rules = here()
  own = ['10.9.9.9']
  assert.equal(rules.findRefusal('db', '10.1.2.3'), undefined)
  assert.match(rules.findRefusal('db', '10.9.9.9') ?? 'nothing', /WEIR_OUTBOUND_ALLOW/)
})

test('OutboundRules refuses the addresses of the interfaces that the system reports', () => {
  const outer = Object.values(networkInterfaces())
    .flatMap((interfaces) => interfaces ?? [])
    .filter(({ internal }) => !internal)
  for (const { address } of outer) assert.notEqual(rules.findRefusal('db', address), undefined)
})

test('OutboundRules refuses what WEIR_OUTBOUND_DENY lists, whatever else allows it', () => {
  const denied = new OutboundRules({
    allow: ['10.0.0.5', 'db.internal', '127.0.0.1'],
    deny: ['10.0.0.0/8', 'fc00::/7', 'Closed.Example'],
  })
  const check = (host: string, address: string, isOpen: boolean) => {
    const refusal = denied.findRefusal(host, address)
    assert.equal(refusal === undefined, isOpen, `${host} at ${address}: ${refusal}`)
    if (!isOpen) assert.match(refusal ?? '', /WEIR_OUTBOUND_DENY/)
  }
  check('db', '10.0.0.5', false)
  check('db', '::ffff:10.0.0.5', false)
  check('db', '2002:a00:5::1', false)
  check('db.internal', '10.0.0.6', false)
  check('db', 'fd00::1', false)
  check('closed.example.', '192.0.2.1', false)
  check('db.internal', '192.168.1.1', true)
  check('db', '192.168.1.1', true)
  check('db', '127.0.0.1', true)
})

test('embeddedIpv4() finds the address in an address, and none in others', () => {
  assert.equal(embeddedIpv4('64:ff9b::c000:207'), '192.0.2.7')
  assert.equal(embeddedIpv4('2002:c000:207::1'), '192.0.2.7')
  for (const plain of ['192.0.2.7', '::1', '::', '2001:db8::1', 'fd00::c000:207', 'db'])
    assert.equal(embeddedIpv4(plain), undefined, plain)
})
