import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from './config.ts'
import { readSmtpFrom, readSmtpUrl } from './smtp-figures.ts'

test('readSmtpUrl() reads server, credentials, and options', () => {
  assert.deepEqual(readSmtpUrl('smtps://weir%40x:p%3Aw@mail.example.com'), {
    host: 'mail.example.com',
    port: 465,
    isTls: true,
    requiresTls: false,
    verifiesTls: true,
    user: 'weir@x',
    password: 'p:w',
  })
  const { host, port, ...rest } = readSmtpUrl('smtp://[::1]:2525/?requireTls=true&verifyTls=false')
  assert.deepEqual([host, port], ['::1', 2525])
  assert.deepEqual(rest, {
    isTls: false,
    requiresTls: true,
    verifiesTls: false,
    user: '',
    password: '',
  })
})

test('readSmtpUrl() never repeats what may be a password', () => {
  for (const text of [
    'secret-password',
    'http://u:secret-password@mail.example.com',
    'smtp://u:secret-password@mail.example.com/path',
    'smtp://u:secret-password@mail.example.com?secret-password=1',
    'smtp://u:secret-password@mail.example.com?verifyTls=secret-password',
    'smtp://u:secret-password@',
    'smtp://u:%zz-secret-password@mail.example.com',
  ]) {
    assert.throws(
      () => readSmtpUrl(text),
      (error: Error) => /^(?:must|has) /.test(error.message) && !error.message.includes('secret'),
      text,
    )
  }
})

test('readSmtpFrom() takes an address with or without a name', () => {
  assert.equal(readSmtpFrom('Weir <weir@example.com>'), 'Weir <weir@example.com>')
  assert.equal(readSmtpFrom('weir@example.com'), 'weir@example.com')
  for (const text of ['weir', 'Weir <weir>', 'a@b\r\nBcc: c@d', '<a@b> x']) {
    assert.throws(() => readSmtpFrom(text), /must be an email address/, text)
  }
})

test('the settings of the mail server are set together', () => {
  assert.throws(
    () => readConfig({ WEIR_SMTP_URL: 'smtp://mail.example.com' }),
    (error: { mistakes?: readonly string[] }) =>
      error.mistakes?.[0] === 'WEIR_SMTP_URL and WEIR_SMTP_FROM must be set together',
  )
})
