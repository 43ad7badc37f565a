import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newSecret } from '../../base/index.ts'
import { findPasswordWeakness } from './password-rules.ts'

const person = { email: 'ada.lovelace@analytical.example', firstName: 'Ada', lastName: 'Lovelace' }

function refused(password: string, expected = /too easy to guess|very common/): void {
  assert.match(findPasswordWeakness(password, person) ?? 'taken', expected, password)
}

function taken(password: string): void {
  assert.equal(findPasswordWeakness(password, person), undefined, password)
}

test('findPasswordWeakness() asks for ten characters and takes no more than 512', () => {
  refused('short', /10 to 512/)
  refused('k7#Vq!x2z', /10 to 512/)
  taken('k7#Vq!x2zP')
  refused('x'.repeat(513), /10 to 512/)
})

test('findPasswordWeakness() refuses what everybody tries', () => {
  for (const password of [
    'password12',
    'Password123',
    'P@ssw0rd123',
    'passwordpassword',
    'mypassword1',
    'PASSWORD2024!',
    '1234567890',
    '0987654321',
    '12345678910',
    '123123123123',
    '1111111111',
    '0000000000',
    'qwertyuiop',
    'qwerty12345',
    '1q2w3e4r5t',
    '1qaz2wsx3edc',
    'zaq12wsxcde3',
    'asdfghjkl123',
    'abcdefghij',
    'abcd123456',
    'abc123abc123',
    'aaaaaaaaaaaa',
    'ababababab',
    'xyzxyzxyzxyz',
    'iloveyou123',
    'ILoveYou!!!',
    'letmein1234',
    'welcome2024',
    'Welcome@123',
    'administrator',

    'admin12345',
    'administrator1',
    'changeme123',
    'football123',
    'superman123',
    'princess2010',

    'Summer2026!',
    'Winter2025!!',
    'Monday2026',
    'trustno1trustno1',
    'dragon123456',
    'monkey4821',
    'michael1985',
    'charlie2007',
    'liverpool123',
    '01011990aa',
    '2580147369',
    '4839201746',
  ]) {
    refused(password)
  }
})

test('findPasswordWeakness() refuses the commonest passwords, in any case', () => {
  for (const password of ['rjirfrgbde', 'Leavemealone', 'sojdlg123aljg', 'HARRYPOTTER']) {
    refused(password, /very common/)
  }
})

test('findPasswordWeakness() refuses the names and the address of the person', () => {
  refused('ada.lovelace')
  refused('Lovelace1815')
  refused('adalovelace!')
  refused('Analytical2026!')
  refused('ada.lovelace@analytical.example')
  taken('Lovelace knew looms and notes')
})

test("findPasswordWeakness() refuses the names of the person's organizations and of the service", () => {
  const member = { ...person, organizations: ['Kraftwerk Nord GmbH'] }
  for (const password of [
    'Kraftwerk2026',
    'kraftwerk-nord',
    'KraftwerkNordGmbH',
    'weir-admin-weir',
  ]) {
    assert.match(findPasswordWeakness(password, member) ?? 'taken', /too easy/, password)
  }
  taken('Kraftwerk2026')
})

test('findPasswordWeakness() takes what is made of unusual parts', () => {
  for (const password of [
    'correct horse battery',
    'a long enough password',
    'another password',
    'gutter-lamp-7-violin',
    'Xk9!mTq2vB',
    'rathaus brücke nebel',
    'パスワードではない言葉です',
    newSecret(),
  ]) {
    taken(password)
  }
})
