import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findIpMistake, IpList, normalizeAddress } from './ip-list.ts'

test('includes() knows addresses and ranges of both versions', () => {
  const list = new IpList(['192.0.2.7', '10.0.0.0/8', '2001:db8::/32', '::1'])
  const check = (address: string, expected: boolean) =>
    assert.equal(list.includes(address), expected, address)
  check('192.0.2.7', true)
  check('192.0.2.8', false)
  check('10.255.0.1', true)
  check('11.0.0.1', false)
  check('::ffff:10.1.2.3', true)
  check('::ffff:11.1.2.3', false)
  check('2001:db8:1::5', true)
  check('2001:db9::', false)
  check('::1', true)
  check('', false)
  check('not an address', false)
})

test('includes() everyone when the list is empty', () => {
  assert.equal(new IpList([]).includes('203.0.113.9'), true)
})

test('findIpMistake() accepts what the list can hold and names the rest', () => {
  for (const item of ['1.2.3.4', '1.2.3.4/0', '1.2.3.4/32', '::', 'fe80::/10', '::/128']) {
    assert.equal(findIpMistake(item), undefined, item)
  }
  for (const item of ['', '1.2.3', '1.2.3.4/33', '::/129', '1.2.3.4/', '1.2.3.4/x', 'a/b/c']) {
    assert.match(findIpMistake(item) ?? '', /must/, item)
  }
  assert.match(findIpMistake('fe80::1%eth0') ?? '', /must/)
})

test('normalizeAddress() unwraps IPv4 in IPv6 and drops the zone', () => {
  assert.equal(normalizeAddress('::ffff:192.0.2.1'), '192.0.2.1')
  assert.equal(normalizeAddress('fe80::1%eth0'), 'fe80::1')
  assert.equal(normalizeAddress('2001:db8::1'), '2001:db8::1')
})

test('normalizeAddress() has one spelling for one address and leaves other texts alone', () => {
  for (const spelling of [
    '::FFFF:a00:1',
    '::ffff:a00:1',
    '::FFFF:10.0.0.1',
    '0:0:0:0:0:ffff:0a00:1',
  ])
    assert.equal(normalizeAddress(spelling), '10.0.0.1', spelling)
  assert.equal(normalizeAddress('2001:0DB8:0::0:1'), '2001:db8::1')
  for (const text of ['AA:BB:CC:DD:EE:FF', 'sensor 1', '', '300.1.1.1'])
    assert.equal(normalizeAddress(text), text)
})

test('coversList() wants each item within one of its own', () => {
  const check = (own: string[], items: string[], expected: boolean) =>
    assert.equal(new IpList(own).coversList(items), expected, `${own} and ${items}`)
  check([], [], true)
  check([], ['192.0.2.7'], true)
  check(['192.0.2.0/24'], [], false)
  check(['192.0.2.0/24'], ['192.0.2.0/24'], true)
  check(['192.0.2.0/24'], ['192.0.2.7', '192.0.2.128/25'], true)
  check(['192.0.2.0/24'], ['192.0.2.7', '192.0.3.7'], false)
  check(['192.0.2.0/24'], ['192.0.2.0/23'], false)
  check(['192.0.2.0/24'], ['0.0.0.0/0'], false)
  check(['192.0.2.7'], ['192.0.2.7'], true)
  check(['192.0.2.7'], ['192.0.2.7/31'], false)
  check(['2001:db8::/32'], ['2001:db8:5::/48', '2001:db8::1'], true)
  check(['2001:db8::/32'], ['::/0'], false)
  check(['2001:db8::/32'], ['192.0.2.7'], false)
})
