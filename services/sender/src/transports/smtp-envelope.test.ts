import { expect, test } from '@jest/globals'
import type { DsnRequest } from '@posthorn/db'
import { AttemptError } from './stage-errors.ts'
import { prepareEnvelope } from './smtp-envelope.ts'

const offers = (...extensions: string[]) => ({ extensions: new Set(extensions), mechanisms: [] })
const ascii = Buffer.from('Subject: x\r\n\r\nhello\r\n')
const message = (to: string[], more: { from?: string; mime?: Buffer; dsn?: DsnRequest } = {}) => ({
  envelope: { from: more.from ?? 'me@example.com', to },
  mime: more.mime ?? ascii,
  dsn: more.dsn,
})
const failureOf = (prepare: () => unknown) => {
  try {
    prepare()
  } catch (error) {
    return error instanceof AttemptError ? error.failure : error
  }
  return undefined
}

test('an ordinary envelope stays as it is', () => {
  expect(prepareEnvelope(message(['you@example.net']), offers('DSN', 'SMTPUTF8'))).toMatchObject({
    envelope: { from: 'me@example.com', to: ['you@example.net'], size: 21, use8BitMime: false },
    rejected: [],
  })
})

test('a domain that is not ASCII is said in ASCII, to every server', () => {
  const { envelope, originalAddresses: spoken } = prepareEnvelope(
    message(['you@bücher.example'], { from: 'me@пример.example' }),
    offers(),
  )
  expect(envelope).toMatchObject({
    from: 'me@xn--e1afmkfd.example',
    to: ['you@xn--bcher-kva.example'],
  })
  expect(spoken.get('you@xn--bcher-kva.example')).toBe('you@bücher.example')
})

test('a mailbox that is not ASCII needs SMTPUTF8', () => {
  const asked = message(['jörg@bücher.example'])
  expect(prepareEnvelope(asked, offers('SMTPUTF8')).envelope.to).toEqual([
    'jörg@xn--bcher-kva.example',
  ])
  expect(failureOf(() => prepareEnvelope(asked, offers()))).toMatchObject({
    code: 'ESMTPUTF8',
    message: expect.stringContaining('jörg@bücher.example'),
  })
  expect(
    failureOf(() => prepareEnvelope(message(['a@b.c'], { from: 'jörg@b.c' }), offers())),
  ).toMatchObject({ code: 'ESMTPUTF8' })
})

test('recipients that can be said go without those that cannot', () => {
  const { envelope, rejected: refused } = prepareEnvelope(
    message(['jörg@b.c', 'you@b.c']),
    offers(),
  )
  expect(envelope.to).toEqual(['you@b.c'])
  expect(refused).toEqual([
    { recipient: 'jörg@b.c', failure: expect.objectContaining({ code: 'ESMTPUTF8' }) },
  ])
})

test('what is larger than the server takes is not tried', () => {
  const bound = (maxBytes: number) => ({ ...offers(), maxBytes })
  expect(failureOf(() => prepareEnvelope(message(['you@b.c']), bound(20)))).toMatchObject({
    code: 'EMESSAGE',
    message: expect.stringMatching(/21 bytes.* 20 /),
  })
  expect(failureOf(() => prepareEnvelope(message(['you@b.c']), bound(21)))).toBeUndefined()
})

test('eight-bit bytes are known', () => {
  const mime = Buffer.from('Subject: x\r\n\r\nhellö\r\n')
  expect(prepareEnvelope(message(['you@b.c'], { mime }), offers()).envelope.use8BitMime).toBe(true)
})

test.each<[DsnRequest, object]>([
  [{ return: 'full' }, { return: 'full' }],
  [
    { return: 'headers', id: 'x'.repeat(300), notify: ['success', 'delay'] },
    { return: 'headers', id: 'x'.repeat(100), notify: ['success', 'delay'] },
  ],
  [
    { return: 'full', notify: ['never', 'failure'] },
    { return: 'full', notify: ['never'] },
  ],
  [{ return: 'full', notify: [] }, { return: 'full' }],
  [
    { return: 'full', recipient: 'bob@example.com' },
    { return: 'full', recipient: 'rfc822;bob@example.com' },
  ],
  [
    { return: 'full', recipient: 'X400;bob' },
    { return: 'full', recipient: 'X400;bob' },
  ],
  [
    { return: 'full', recipient: 'jö+x@b.c' },
    { return: 'full', recipient: String.raw`utf-8;j\x{F6}\x{2B}x@b.c` },
  ],
])('notifications %j', (dsn, words) => {
  expect(prepareEnvelope(message(['you@b.c'], { dsn }), offers('DSN')).envelope.dsn).toEqual(words)
  expect(prepareEnvelope(message(['you@b.c'], { dsn }), offers()).envelope.dsn).toBeUndefined()
})
