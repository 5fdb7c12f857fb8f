import { expect, test } from '@jest/globals'
import type { DsnRequest } from '@posthorn/db'
import { parseOffers, prepareEnvelope, serverMessageIdOf } from './smtp-envelope.ts'
import { AttemptError } from '../transport.ts'

const offers = (...extensions: string[]) => ({ extensions: new Set(extensions), mechanisms: [] })
const ascii = Buffer.from('Subject: x\r\n\r\nhello\r\n')
const message = (to: string[], more: { from?: string; mime?: Buffer; dsn?: DsnRequest } = {}) => ({
  envelope: { from: more.from ?? 'me@example.com', to },
  mime: more.mime ?? ascii,
  dsn: more.dsn ?? null,
})
const failureOf = (prepare: () => unknown) => {
  try {
    prepare()
  } catch (error) {
    return error instanceof AttemptError ? error.outcome.failure : error
  }
  return undefined
}

test('prepareEnvelope: ASCII addresses, leaves the envelope unchanged', () => {
  expect(prepareEnvelope(message(['you@example.net']), offers('DSN', 'SMTPUTF8'))).toMatchObject({
    envelope: { from: 'me@example.com', to: ['you@example.net'], size: 21, use8BitMime: false },
    rejected: [],
  })
})

test('prepareEnvelope: non-ASCII domains, encodes them for every server', () => {
  const { envelope, originalAddresses } = prepareEnvelope(
    message(['you@bücher.example'], { from: 'me@пример.example' }),
    offers(),
  )
  expect(envelope).toMatchObject({
    from: 'me@xn--e1afmkfd.example',
    to: ['you@xn--bcher-kva.example'],
  })
  expect(originalAddresses.get('you@xn--bcher-kva.example')).toBe('you@bücher.example')
})

test('prepareEnvelope: non-ASCII local part, requires SMTPUTF8', () => {
  const outgoing = message(['jörg@bücher.example'])
  expect(prepareEnvelope(outgoing, offers('SMTPUTF8')).envelope.to).toEqual([
    'jörg@xn--bcher-kva.example',
  ])
  expect(failureOf(() => prepareEnvelope(outgoing, offers()))).toMatchObject({
    code: 'ESMTPUTF8',
    message: expect.stringContaining('jörg@bücher.example'),
  })
  expect(
    failureOf(() => prepareEnvelope(message(['a@b.c'], { from: 'jörg@b.c' }), offers())),
  ).toMatchObject({ code: 'ESMTPUTF8' })
})

test('prepareEnvelope: mixed recipients without SMTPUTF8, rejects only the non-ASCII ones', () => {
  const { envelope, rejected } = prepareEnvelope(message(['jörg@b.c', 'you@b.c']), offers())
  expect(envelope.to).toEqual(['you@b.c'])
  expect(rejected).toEqual([
    { recipient: 'jörg@b.c', failure: expect.objectContaining({ code: 'ESMTPUTF8' }) },
  ])
})

test('prepareEnvelope: message above the SIZE limit, fails with EMESSAGE', () => {
  const limited = (maxBytes: number) => ({ ...offers(), maxBytes })
  expect(failureOf(() => prepareEnvelope(message(['you@b.c']), limited(20)))).toMatchObject({
    code: 'EMESSAGE',
    message: expect.stringMatching(/21 bytes.* 20 /),
  })
  expect(failureOf(() => prepareEnvelope(message(['you@b.c']), limited(21)))).toBeUndefined()
})

test('prepareEnvelope: 8-bit content, sets use8BitMime', () => {
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
])('prepareEnvelope: DSN request %j, sends %j with DSN and nothing without', (dsn, parameters) => {
  expect(prepareEnvelope(message(['you@b.c'], { dsn }), offers('DSN')).envelope.dsn).toEqual(
    parameters,
  )
  expect(prepareEnvelope(message(['you@b.c'], { dsn }), offers()).envelope.dsn).toBeUndefined()
})

test('parseOffers: mixed case and AUTH=, returns keywords and mechanisms in upper case', () => {
  const { extensions, mechanisms, maxBytes } = parseOffers([
    'SIZE 1000',
    'Pipelining',
    'AUTH PLAIN XOAUTH2',
    'AUTH=LOGIN oauthbearer',
    'dsn',
  ])
  expect([...extensions]).toEqual(['SIZE', 'PIPELINING', 'AUTH', 'DSN'])
  expect(mechanisms).toEqual(['PLAIN', 'XOAUTH2', 'LOGIN', 'OAUTHBEARER'])
  expect(maxBytes).toBe(1000)
})

test.each(['SIZE', 'SIZE 0', 'SIZE x', 'SIZE -1', `SIZE ${'9'.repeat(40)}`])(
  'parseOffers: line %s, returns no maxBytes',
  (line) => {
    expect(parseOffers([line])).not.toHaveProperty('maxBytes')
  },
)

test('parseOffers: no lines, returns empty offers', () => {
  expect(parseOffers([])).toEqual({ extensions: new Set(), mechanisms: [] })
})

const sesId = '0102018b5c3c0a4f-3f2504e0-4f89-41d3-9a0c-0305e82c3301-000000'

test.each([
  [
    '250 2.0.0 OK <AM0PR04MB1@AM0PR04MB1.eurprd04.prod.outlook.com> [Hostname=AM0PR04MB1.eurprd04.prod.outlook.com]',
    'smtp.office365.com',
    '<AM0PR04MB1@AM0PR04MB1.eurprd04.prod.outlook.com>',
  ],
  [
    '250 2.6.0 <0a1b@corp.example> [InternalId=1236950581340, Hostname=mbx.corp.example] 1533 bytes in 0.230, Queued mail for delivery',
    'mail.corp.example',
    '<0a1b@corp.example>',
  ],
  [`250 Ok ${sesId}`, 'email-smtp.eu-west-1.amazonaws.com', `<${sesId}@eu-west-1.amazonses.com>`],
  [`250 Ok ${sesId}`, 'email-smtp.us-east-1.amazonaws.com', `<${sesId}@email.amazonses.com>`],
  [
    `250 Ok ${sesId.toUpperCase()}`,
    'vpce-1-2.email-smtp.us-gov-west-1.vpce.amazonaws.com.',
    `<${sesId}@us-gov-west-1.amazonses.com>`,
  ],
  [`250 Ok ${sesId}`, 'mail.example.com', undefined],
  [`250 Ok ${sesId}`, 'email-smtp.amazonaws.com', undefined],
  [`250 Ok ${sesId}`, 'amazonaws.com.example.net', undefined],
  ['250 2.0.0 Ok: queued as 4TXYZ1', 'mail.example.com', undefined],
  ['250 2.0.0 OK <a@b> queued', 'mail.example.com', undefined],
  ['250 2.0.0 OK  1700000000 d2e1a72fcca58-6c3 - gsmtp', 'smtp.gmail.com', undefined],
  ['250 OK id=1r2xyz-0001aB-2C', 'mail.example.com', undefined],
  ['250 2.6.0 <a b@c> [InternalId=1]', 'mail.example.com', undefined],
  ['', '', undefined],
])('serverMessageIdOf: reply %s from %s, returns %s', (response, host, id) => {
  expect(serverMessageIdOf(response, host)).toBe(id)
})
