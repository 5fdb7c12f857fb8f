import { expect, test } from '@jest/globals'
import { prepareMessage } from './prepare-message.ts'

const now = new Date('2026-03-01T12:00:00Z')
const prepare = (text: string, encoding: BufferEncoding = 'utf8') => {
  const { mime, ...rest } = prepareMessage(Buffer.from(text, encoding), {
    from: 'me@example.com',
    now,
  })
  return { text: mime.toString(encoding), ...rest }
}

test('prepareMessage: complete message, unchanged', () => {
  const text =
    'Message-ID: <a@b>\r\nDate: x\r\nDKIM-Signature: v=1;\r\n\tb=abc\r\nSubject: =?utf-8?q?h=C3=A9?=\r\n\r\nbody\r\n\r\n.x\r\n'
  expect(prepare(text)).toEqual({ text, messageId: '<a@b>', subject: 'hé', controls: {} })
  const bytes = `Message-ID: <a@b>\r\nDate: x\r\nX: \xe9\r\n\r\n\xff\x00\r\n`
  expect(prepare(bytes, 'latin1').text).toBe(bytes)
})

test('prepareMessage: removes Bcc in any case and folding', () => {
  const text =
    'Message-ID: <a@b>\r\nbCC : x@y,\r\n z@y\r\nDate: x\r\nResent-Bcc: q@y\r\nTo: t@y\r\n\r\nBcc: stays\r\n'
  expect(prepare(text).text).toBe('Message-ID: <a@b>\r\nDate: x\r\nTo: t@y\r\n\r\nBcc: stays\r\n')
})

test('prepareMessage: adds Message-ID and Date, replaces an invalid Message-ID', () => {
  const { text, messageId } = prepare('Subject: s\r\nMessage-ID: nonsense\r\n\r\nbody\r\n')
  expect(messageId).toMatch(/^<[0-9a-f-]{36}@example\.com>$/)
  expect(text).toBe(
    `Message-ID: ${messageId}\r\nDate: Sun, 01 Mar 2026 12:00:00 +0000\r\nSubject: s\r\n\r\nbody\r\n`,
  )
})

test('prepareMessage: lone CR or LF, become CRLF', () => {
  expect(prepare('Message-ID: <a@b>\nDate: x\n\nbody\n.\nMAIL FROM').text).toBe(
    'Message-ID: <a@b>\r\nDate: x\r\n\r\nbody\r\n.\r\nMAIL FROM',
  )
})

test.each(['', '\r\n', 'body only', ' folded first\r\n\r\n', ':\r\n\r\n', '\r\nbody\r\n'])(
  'prepareMessage: %p, is a valid message',
  (text) => {
    const prepared = prepare(text)
    expect(prepared.text).toMatch(/^Message-ID: <.*>\r\nDate: .*\r\n/)
    expect(prepared.subject).toBeNull()
  },
)

test('prepareMessage: text without a header, becomes the body', () => {
  for (const text of ['Hello Bob,\r\nBcc: is body text', `${'x'.repeat(2 << 20)}: y`])
    expect(prepare(text).text.split('\r\n\r\n').slice(1)).toEqual([text])
})

test('prepareMessage: control headers in any case and folding, are read and removed', () => {
  const { text, controls } = prepare(
    'Message-ID: <a@b>\r\nx-svc-ACCOUNT : acc\r\nDate: x\r\nX-SVC-Idempotency-Key:\r\n one\r\n two\r\n\r\nX-SVC-Gateway: stays\r\n',
  )
  expect(text).toBe('Message-ID: <a@b>\r\nDate: x\r\n\r\nX-SVC-Gateway: stays\r\n')
  expect(controls).toEqual({ account: 'acc', idempotencyKey: 'one two' })
})

test('prepareMessage: alias headers, are read and removed only with a header alias', () => {
  const control = 'x-ee-ACCOUNT : moved\r\nX-EE-Idempotency-Key:\r\n one\r\n'
  const others = 'X-EE-Send-At: stays\r\nDate: x\r\n\r\nX-EE-Account: stays\r\n'
  const message = Buffer.from(`Message-ID: <a@b>\r\n${control}${others}`)
  const from = 'me@example.com'
  const withAlias = prepareMessage(message, { from, headerAlias: 'X-EE-' })
  expect(withAlias.mime.toString()).toBe(`Message-ID: <a@b>\r\n${others}`)
  expect(withAlias.controls).toEqual({ aliasAccount: 'moved', idempotencyKey: 'one' })
  const without = prepareMessage(message, { from })
  expect(without.mime.equals(message)).toBe(true)
  expect(without.controls).toEqual({})
})
