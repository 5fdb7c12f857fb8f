import { expect, test } from '@jest/globals'
import { type ReferencedMessage, applyReference, type ReferenceOptions } from './apply-reference.ts'

const original: ReferencedMessage = {
  subject: 'Plans',
  messageId: '<2@x.example>',
  from: { name: 'Ann', address: 'ann@x.example' },
  to: [{ address: 'me@y.example' }, { name: 'Bob', address: 'Bob@x.example' }],
  cc: [{ address: 'cy@x.example' }, { address: 'ANN@x.example' }],
  date: '2024-05-06T07:08:00Z',
  headers: { references: ['<1@x.example>'] },
  text: { plain: 'one\ntwo', html: '<p>one</p>' },
}
const referring = (over: Partial<ReferenceOptions> = {}): ReferenceOptions => ({
  action: 'reply',
  inline: false,
  own: ['me@y.example'],
  ...over,
})
const applied = (over: Partial<ReferencedMessage> = {}, options: Partial<ReferenceOptions> = {}) =>
  applyReference({}, { ...original, ...over }, referring(options))

test('applyReference: a reply goes to Reply-To, else to From', () => {
  expect(applied().draft).toEqual({ subject: 'Re: Plans', to: [original.from] })
  const replyTo = [{ address: 'list@x.example' }]
  expect(applied({ replyTo }).draft.to).toEqual(replyTo)
  expect(applied({ replyTo: [{ name: 'no address' }] }).draft.to).toEqual([original.from])
})

test('applyReference: a reply to all lists each recipient once and no own address', () => {
  expect(applied({}, { action: 'reply-all' }).draft).toMatchObject({
    to: [original.from, { name: 'Bob', address: 'Bob@x.example' }],
    cc: [{ address: 'cy@x.example' }],
  })
  const mine = { from: { address: 'me@y.example' }, to: [{ address: 'ME@y.example' }], cc: [] }
  expect(applied(mine, { action: 'reply-all' }).draft.to).toEqual([{ address: 'me@y.example' }])
})

test('applyReference: both spellings of a Unicode domain, are one recipient', () => {
  const to = [{ address: 'ann@müller.test' }, { address: 'ANN@xn--mller-kva.test' }]
  const from = { address: 'bob@x.example' }
  expect(applied({ from, to, cc: to }, { action: 'reply-all' }).draft).toMatchObject({
    to: [from, { address: 'ann@müller.test' }],
    cc: [],
  })
})

test('applyReference: keeps members of the draft', () => {
  const draft = { to: [{ address: 'bob@x.example' }], subject: 'Mine' }
  expect(applyReference(draft, original, referring({ action: 'reply-all' })).draft).toEqual({
    ...draft,
    cc: [{ address: 'cy@x.example' }, { address: 'ANN@x.example' }],
  })
})

test('applyReference: adds the subject prefix once', () => {
  const subject = (original: string, action: ReferenceOptions['action'] = 'reply') =>
    applied({ subject: original }, { action }).draft.subject
  expect(subject('Re: Plans')).toBe('Re: Plans')
  expect(subject('RE[2]: Plans')).toBe('RE[2]: Plans')
  expect(subject('Fwd: Plans')).toBe('Re: Fwd: Plans')
  expect(subject('Plans', 'forward')).toBe('Fwd: Plans')
  expect(subject('FW: Plans', 'forward')).toBe('FW: Plans')
  expect(subject('a\r\nBcc: b\u2028c')).toBe('Re: a Bcc: b c')
  expect(applied({ subject: '' }).draft.subject).toBe('Re:')
})

test('applyReference: extends References with valid Message-IDs, up to a limit', () => {
  expect(applied().references).toEqual({
    inReplyTo: '<2@x.example>',
    references: ['<1@x.example>', '<2@x.example>'],
  })
  expect(applied({ headers: { 'in-reply-to': ['<0@x.example>'] } }).references?.references).toEqual(
    ['<0@x.example>', '<2@x.example>'],
  )
  expect(applied({ messageId: 'no id' }).references).toBeUndefined()
  const many = Array.from({ length: 500 }, (_, n) => `<${n}@x.example>`).join(' ')
  const ids = applied({ headers: { references: [`junk \r\nX: y ${many}`] } }).references?.references
  expect([ids?.length, ids?.[0], ids?.at(-1)]).toEqual([50, '<0@x.example>', '<2@x.example>'])
})

test('applyReference: quotes the original below the text of the reply', () => {
  expect(applyReference({ text: 'yes' }, original, referring({ inline: true })).draft.text).toBe(
    'yes\n\nMay 6, 2024, 7:08 AM, Ann <ann@x.example>:\n> one\n> two',
  )
  const { html, text } = applyReference(
    { html: '<b>yes</b>' },
    original,
    referring({ inline: true }),
  ).draft
  expect(html).toBe(
    '<b>yes</b><div><br>May 6, 2024, 7:08 AM, Ann &lt;ann@x.example&gt;:</div><blockquote type="cite"><p>one</p></blockquote>',
  )
  expect(text).toBeUndefined()
})

test('applyReference: quotes an HTML original as text in a plain text draft', () => {
  const quoted = (
    action: ReferenceOptions['action'],
    text: ReferencedMessage['text'] = { html: '<p>one</p>' },
  ) =>
    applyReference({ text: 'see' }, { ...original, text }, referring({ action, inline: true }))
      .draft.text
  expect(quoted('reply')).toMatch(/:\n> one$/)
  expect(quoted('forward')).toMatch(/\n\none$/)
  expect(quoted('forward', { plain: '', html: '<p>one</p>' })).toMatch(/\n\none$/)
})

test('applyReference: a forward contains sender and recipients of the original', () => {
  const { to, cc, text } = applyReference(
    { text: 'see' },
    original,
    referring({ action: 'forward', inline: true, locale: 'xx-nonsense-', tz: 'Mars/Olympus' }),
  ).draft
  expect([to, cc]).toEqual([undefined, undefined])
  expect(text?.split('\n')).toEqual([
    'see',
    '',
    '---------- Forwarded message ----------',
    'From: Ann <ann@x.example>',
    expect.stringMatching(/^Date: May 6, 2024/),
    'Subject: Plans',
    'To: me@y.example, Bob <Bob@x.example>',
    'Cc: cy@x.example, ANN@x.example',
    '',
    'one',
    'two',
  ])
})

test('applyReference: omits addresses that could break out of a header', () => {
  const from = { name: 'A\r\nBcc: x', address: 'a@x.example' }
  const to = [{ address: 'a@x.example\r\nRCPT TO:<b>' }, { address: 'not an address' }, {}]
  expect(applied({ from, to, cc: [] }, { action: 'reply-all' }).draft.to).toEqual([
    { name: 'A Bcc: x', address: 'a@x.example' },
  ])
})
