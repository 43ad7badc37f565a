import assert from 'node:assert/strict'
import { test } from 'node:test'
import { networkOf } from './network-of.ts'

test('networkOf() keeps IPv4, cuts IPv6 to its /64 and leaves other texts alone', () => {
  const check = (address: string, expected: string) =>
    assert.equal(networkOf(address), expected, address)
  check('192.0.2.7', '192.0.2.7')
  check('2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64')
  check('2001:db8:1:2::9', '2001:db8:1:2::/64')
  check('2001:0db8:0001:0002::9', '2001:db8:1:2::/64')
  check('2001:db8::1', '2001:db8:0:0::/64')
  check('::1', '0:0:0:0::/64')
  check('::', '0:0:0:0::/64')
  check('64:ff9b::192.0.2.7', '64:ff9b:0:0::/64')
  check('fe80::', 'fe80:0:0:0::/64')
  check('', '')
  check('a gateway', 'a gateway')
})
