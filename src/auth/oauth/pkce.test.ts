import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkVerifier, readChallenge } from './pkce.ts'

// The pair of RFC 7636, appendix B.
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

test('readChallenge() takes S256 only', () => {
  const read = (params: Record<string, string>) => readChallenge(new Map(Object.entries(params)))
  assert.equal(read({}), '')
  assert.equal(read({ code_challenge: CHALLENGE, code_challenge_method: 'S256' }), CHALLENGE)
  assert.throws(() => read({ code_challenge: CHALLENGE }), /must be S256/)
  assert.throws(() => read({ code_challenge: VERIFIER, code_challenge_method: 'plain' }), /S256/)
  assert.throws(() => read({ code_challenge: 'short', code_challenge_method: 'S256' }), /43/)
  assert.throws(() => read({ code_challenge_method: 'S256' }), /code_challenge is missing/)
})

test('checkVerifier() wants the verifier of the challenge, and none without one', () => {
  checkVerifier(CHALLENGE, VERIFIER)
  checkVerifier('', undefined)
  assert.throws(() => checkVerifier(CHALLENGE, undefined), /code_verifier is missing/)
  assert.throws(() => checkVerifier(CHALLENGE, `${VERIFIER.slice(0, -1)}l`), /does not match/)
  assert.throws(() => checkVerifier(CHALLENGE, 'x'.repeat(42)), /43 to 128/)
  assert.throws(() => checkVerifier(CHALLENGE, CHALLENGE), /does not match/)
  assert.throws(() => checkVerifier('', VERIFIER), /no code_challenge/)
})
