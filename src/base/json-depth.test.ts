import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepJson } from './json-depth.ts'

test('isDeepJson() counts open lists and objects, and no brackets inside texts', () => {
  const check = (text: string, isDeep: boolean) => assert.equal(isDeepJson(text, 2), isDeep, text)
  check('[{}]', false)
  check('[[],[],{}]', false)
  check('[{"a":[]}]', true)
  check('["[[[", "\\"[[[", {"{{{": 1}]', false)
  check(']]][[[', false)
  check('[[[', true)
  check('', false)
})
