import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noticeOf, openNoticeHome, owner } from '../support/notice-home.ts'
import { comesTrue, settlesTo } from '../support/settle.ts'
import { startSmtpReceiver } from '../support/smtp-receiver.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const PASSWORD = 'mail-password-of-the-operator'
const email = { name: 'Ops', kind: 'EMAIL', emails: ['ann@example.com', 'bob@example.com'] }

test('a notice arrives as email, though no outbound rule allows the address of the mail server', async () => {
  const smtp = await startSmtpReceiver(PASSWORD)
  const publicUrl = 'https://weir.example.com'
  const home = await openNoticeHome({
    folder: temporaryFolder(),
    smtp: smtp.server,
    allow: [],
    publicUrl,
  })
  try {
    const { uid } = await home.channels.insert(owner, email)
    const about = { alertName: 'Too hot\r\nBcc: evil@example.com', message: 'Über 90 °C' }
    const notice = noticeOf(uid, { about })
    await home.put(notice)
    await settlesTo(() => home.countWaiting(), 0)
    const [message] = smtp.messages
    assert.match(message, /^Subject: Firing: Too hot *Bcc: evil@example\.com\r$/m)
    assert.doesNotMatch(message, /^Bcc:/m)
    assert.match(message, /^To: ann@example\.com, bob@example\.com\r$/m)
    assert.match(message, new RegExp(`^Message-ID: <${notice.idempotencyKey}@weir>\r$`, 'm'))
    assert.match(message, new RegExp(`^Idempotency-Key: ${notice.idempotencyKey}\r$`, 'm'))
    const body = message.slice(message.indexOf('\r\n\r\n') + 4)
    assert.match(decoded(message, body), /Über 90 °C\r?\nBoiler 3 \/ temperature = 93\.5/)
    assert.match(decoded(message, body), /https:\/\/weir\.example\.com\/alerts\/alert/)
  } finally {
    await home.close()
    await smtp.close()
  }
})

function decoded(message: string, body: string): string {
  if (/^Content-Transfer-Encoding: base64\r$/im.test(message)) {
    return Buffer.from(body, 'base64').toString('utf8')
  }
  const bytes = body
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_all, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

test('a mail server that refuses the password is shown without the password', async () => {
  const smtp = await startSmtpReceiver('another-password')
  const server = { ...smtp.server, password: PASSWORD }
  const home = await openNoticeHome({ folder: temporaryFolder(), smtp: server })
  try {
    const { uid } = await home.channels.insert(owner, email)
    await home.put(noticeOf(uid))
    const attempts = async () =>
      (await home.channels.listAttempts(owner, uid, { start: 0, limit: 10 })).records
    await comesTrue(async () => (await attempts()).length > 0)
    const [{ isOk, reason, message }] = await attempts()
    assert.deepEqual({ isOk, reason }, { isOk: false, reason: 'mail' })
    assert.match(message, /wrong password \[redacted\]/)
    const tried = await home.channels.test(owner, uid)
    assert.equal(tried.isOk, false)
    assert.ok(![tried.message, ...home.logLines].some((text) => text.includes(PASSWORD)))
  } finally {
    await home.close()
    await smtp.close()
  }
})

test('email is refused by a service without a mail server', async () => {
  const home = await openNoticeHome({ folder: temporaryFolder() })
  try {
    await assert.rejects(home.channels.insert(owner, email), /WEIR_SMTP_URL/)
  } finally {
    await home.close()
  }
})
