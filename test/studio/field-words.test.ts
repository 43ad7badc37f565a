import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldWords, messageInWords } from '../../studio/src/api/field-words.ts'

test('fieldWords() calls a field as the pages do, with where it stands', () => {
  const check = (path: string, words: string) => assert.equal(fieldWords(path), words, path)
  check('unit.symbol', 'Symbol')
  check('component.id', 'ID')
  check('component.stream[0].valueType', 'Value type of stream 1')
  check('component.stream[11].unit.uid', 'Unit of stream 12')
  check('stream.delete_profile.uid', 'Delete profile')
  check('component.location.latitude', 'Latitude')
  check('component.location', 'Location')
  check('dashboard.panels[2].options.max', 'Maximum of panel 3')
  check('dashboard.panels.0.title', 'Title of panel 1')
  check('dashboard.panels[0].streams[1]', 'Stream 2 of panel 1')
  check('dashboard.panels[0].streams[1].streamUid', 'Stream 2 of panel 1')
  check('dashboard', 'The board')
  check('api_key.capabilities[1].resource', 'Permission 2')
  check('api_key.ipAddresses[0]', 'IP address 1')
  check('org_user.firstName', 'First name')
  check('cycle.intervals[0].from', 'Start of period 1')
  check('stream.derivation.expression', 'Formula')
  check('otp', 'Code')
})

test('messageInWords() has no path in what a person reads', () => {
  const check = (message: string, path: string | undefined, words: string) =>
    assert.equal(messageInWords(message, path), words)
  check(
    'unit.symbol has 51 characters: at most 50',
    'unit.symbol',
    'Symbol has 51 characters: at most 50',
  )
  check(
    'component.stream[0].valueType must not be FILE because a point stream cannot store files',
    'component.stream[0].valueType',
    'Value type of stream 1 must not be FILE because a point stream cannot store files',
  )
  check('component.id "a" is taken', 'component.id', 'ID "a" is taken')
  check(
    'dashboard.panels[0].options.max 5 must be greater than min, which is 7',
    'dashboard.panels[0].options.max',
    'Maximum of panel 1: 5 must be greater than the minimum, which is 7',
  )
  check(
    'body: dashboard.panels[0] must have required properties kind',
    'dashboard.panels[0].kind',
    'Kind of panel 1 is missing',
  )
  check('body: api_key.name must be string', 'api_key.name', 'Name must be string')
  check(
    'Cannot use this cycle: timeZone: "x" is unknown',
    'cycle.timeZoneId',
    'Time zone: "x" is unknown',
  )
  check(
    'Cannot use this cycle: intervals: a CUSTOM cycle needs at least one interval',
    'cycle.intervals',
    'Periods: add at least one period',
  )
  check(
    'You may not PUT component with your role in this organization',
    undefined,
    'Your role in this organization does not let you add components and streams.',
  )
  check(
    'You may not DELETE component/1/feed with your role in this organization',
    undefined,
    'Your role in this organization does not let you delete samples.',
  )
  check(
    'You may not POST a component in this folder with your role in this organization',
    undefined,
    'Your role in this organization does not let you change a component in this folder.',
  )
  check(
    'Cannot accept sample 0 of "a: b": "data" must be a number, got "x"',
    undefined,
    'The value must be a number, got "x"',
  )
  check('Your password is wrong', undefined, 'Your password is wrong')
  check('stream "x" would be a point stream', 'stream "x"', 'Stream "x" would be a point stream')
})
