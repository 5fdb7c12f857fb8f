import { describe, expect, test } from '@jest/globals'
import { assertHeaderEnvelope, withBcc } from './header-envelope.ts'

const mime = Buffer.from(
  'From: "Ann, Sales" <ann@mail.example>\r\nTo: Team: Bob <bob@x.example>, eve@x.example;\r\n' +
    'Cc:\r\n dan@BÜCHER.example\r\nSubject: a\r\n\r\nTo: nobody@x.example\r\n',
)
const to = ['bob@x.example', 'EVE@x.example', 'dan@xn--bcher-kva.example']

describe('assertHeaderEnvelope', () => {
  test('envelope of the header, in other spellings or with further recipients, passes', () => {
    assertHeaderEnvelope(mime, { from: 'Ann@Mail.example', to })
    assertHeaderEnvelope(mime, { from: 'ann@mail.example', to: [...to, 'hidden@x.example'] })
  })

  test.each([
    ['another sender', { from: 'bounces@mail.example', to }, 'envelope sender'],
    ['the empty sender', { from: '', to }, 'envelope sender'],
    ['a header recipient left out', { from: 'ann@mail.example', to: to.slice(1) }, 'leave out'],
  ])('%s, is an unsupported operation', (_case, envelope, message) => {
    expect(() => assertHeaderEnvelope(mime, envelope)).toThrow(
      expect.objectContaining({
        kind: 'invalid',
        code: 'UnsupportedOperation',
        message: expect.stringContaining(message),
      }),
    )
  })
})

describe('withBcc', () => {
  test('recipients of the envelope only, become a Bcc field', () => {
    const result = withBcc(mime, { to: [...to, 'x@y.example', 'ä@y.example'] })
    const [head = '', body] = result.toString().split('\r\n\r\n')
    expect(head).toContain('Subject: a\r\nBcc: x@y.example,\r\n ä@y.example')
    expect(body).toBe('To: nobody@x.example\r\n')
  })

  test('all recipients in the header, leaves the bytes unchanged', () => {
    expect(withBcc(mime, { to })).toBe(mime)
  })
})
