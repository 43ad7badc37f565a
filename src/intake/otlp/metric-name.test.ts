import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type MetricKind,
  prometheusLabel,
  prometheusName,
  prometheusNumber,
} from './metric-name.ts'

test('prometheusName() adds units and suffixes as Prometheus does', () => {
  const check = (name: string, unit: string, kind: MetricKind, expected: string | undefined) =>
    assert.equal(prometheusName(name, unit, kind), expected, `${name} ${unit} ${kind}`)
  check('http.server.duration', 's', 'histogram', 'http_server_duration_seconds')
  check('system.memory.usage', 'By', 'gauge', 'system_memory_usage_bytes')
  check('system.cpu.utilization', '1', 'gauge', 'system_cpu_utilization_ratio')
  check('requests', '1', 'counter', 'requests_total')
  check('requests', '{request}', 'counter', 'requests_total')
  check('total.requests', '', 'counter', 'requests_total')
  check('queue', '{item}', 'sum', 'queue')
  check('network.io', 'By/s', 'gauge', 'network_io_bytes_per_second')
  check('speed', 'm/s', 'gauge', 'speed_meters_per_second')
  check('speed_meters', 'm/s', 'gauge', 'speed_meters_per_second')
  check('a.b', '/s', 'gauge', 'a_b_per_second')
  check('uptime_seconds', 's', 'sum', 'uptime_seconds')
  check('disk', '%', 'gauge', 'disk_percent')
  check('odd', 'foo-bar', 'gauge', 'odd_foo_bar')
  check('odd', ' By ', 'gauge', 'odd_bytes')
  check('2xx', '', 'gauge', '_2xx')
  check('a__b--c', '', 'gauge', 'a_b_c')
  check('rule:sum', '', 'gauge', 'rule:sum')
  check('température', 'Cel', 'gauge', 'temp_rature_celsius')
  check('toString', 'constructor', 'gauge', 'toString_constructor')
  check('', '', 'gauge', undefined)
  check('...', '', 'gauge', undefined)
})

test('prometheusLabel() replaces what is no letter, digit, or underscore', () => {
  assert.equal(prometheusLabel('http.method'), 'http_method')
  assert.equal(prometheusLabel('a__b'), 'a__b')
  assert.equal(prometheusLabel('_private'), 'key_private')
  assert.equal(prometheusLabel('__meta'), '__meta')
  assert.equal(prometheusLabel('1st'), 'key_1st')
  assert.equal(prometheusLabel('größe'), 'gr__e')
  assert.equal(prometheusLabel('😀x'), 'key_x')
  assert.equal(prometheusLabel('..'), undefined)
  assert.equal(prometheusLabel(''), undefined)
})

test('prometheusNumber() writes no exponents', () => {
  assert.equal(prometheusNumber(0.005), '0.005')
  assert.equal(prometheusNumber(1), '1')
  assert.equal(prometheusNumber(1e21), '1000000000000000000000')
  assert.equal(prometheusNumber(1.5e21), '1500000000000000000000')
  assert.equal(prometheusNumber(-1.25e-7), '-0.000000125')
  assert.equal(prometheusNumber(1e-7), '0.0000001')
  assert.equal(prometheusNumber(Number.POSITIVE_INFINITY), '+Inf')
  assert.equal(prometheusNumber(Number.NEGATIVE_INFINITY), '-Inf')
  assert.equal(prometheusNumber(Number.NaN), 'NaN')
  assert.equal(prometheusNumber(-0), '-0')
})
