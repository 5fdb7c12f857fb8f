import { expect, test } from '@jest/globals'
import type { BodyPart, FetchedMessage, MailSession } from '../../src/mail-session.ts'
import type { TestEnvironment, TestAccount } from '../environment.ts'

const mail = 'Subject: hello\r\n\r\nhello\r\n'

const nested = [
  'Subject: nested',
  'Content-Type: multipart/mixed; boundary=outer',
  '',
  '--outer',
  'Content-Type: multipart/alternative; boundary=inner',
  '',
  '--inner',
  'Content-Type: text/plain; charset=utf-8',
  '',
  'text',
  '--inner',
  'Content-Type: text/html',
  '',
  '<p>html</p>',
  '--inner--',
  '--outer',
  'Content-Type: application/pdf; name="a.pdf"',
  'Content-Transfer-Encoding: base64',
  "Content-Disposition: attachment; filename*=utf-8''%C3%A4.pdf",
  'Content-ID: <pdf@x>',
  '',
  Buffer.from('pdf').toString('base64'),
  '--outer',
  'Content-Type: message/rfc822',
  '',
  'Subject: inside',
  '',
  'inside',
  '--outer--',
  '',
].join('\r\n')

async function fetchOne(session: MailSession, uid: number): Promise<FetchedMessage> {
  const [message] = await Array.fromAsync(session.fetchMessages([[uid, uid]], { headers: true }))
  if (!message) throw new Error(`${uid} is not there`)
  return message
}

/** Stores a mail message in an account and reads the message back. */
async function roundTrip(
  environment: TestEnvironment,
  one: TestAccount,
  rfc822: string | Buffer,
): Promise<FetchedMessage> {
  const uid = await one.append(rfc822)
  await using session = await environment.backend.connect(one.options)
  await session.select('INBOX', { readOnly: true })
  return await fetchOne(session, uid)
}

function numbers(part: BodyPart): unknown {
  return part.childNodes
    ? [part.part, part.type, part.childNodes.map(numbers)]
    : [part.part, part.type]
}

export function messageCases(environment: TestEnvironment): void {
  const { backend, account } = environment

  test('fetchMessages: returns envelope, headers, flags and dates', async () => {
    await using one = await account()
    const headers = [
      'From: =?utf-8?Q?J=C3=BCrgen?= <j@example.com>',
      'To: "Doe, Jane" <jane@example.com>, friends: a@example.com, b@example.com;, undisclosed-recipients:;',
      'Subject: =?utf-8?B?R3LDvMOfZQ==?= und mehr',
      'Date: Tue, 1 Jul 2003 10:52:37 +0200',
      'Message-ID: <1@example.com>',
      'In-Reply-To: <0@example.com>',
      'X-Own: kept',
    ]
    const date = new Date('2024-02-29T12:00:00Z')
    const rfc822 = `${headers.join('\r\n')}\r\n\r\nbody\r\n`
    const uid = await one.append(rfc822, { flags: ['\\Seen', 'work'], date })
    await using session = await backend.connect(one.options)
    await session.select('INBOX')
    const message = await fetchOne(session, uid)
    expect(message).toMatchObject({
      uid,
      size: rfc822.length,
      internalDate: date,
      modseq: expect.any(BigInt),
    })
    expect(message.flags).toEqual(expect.arrayContaining(['\\Seen', 'work']))
    expect(message.headers?.toString()).toContain('X-Own: kept\r\n')
    expect(message.envelope).toMatchObject({
      subject: 'Grüße und mehr',
      date: new Date('2003-07-01T08:52:37Z'),
      messageId: '<1@example.com>',
      inReplyTo: '<0@example.com>',
      from: [{ name: 'Jürgen', address: 'j@example.com' }],
      cc: [],
    })
    const to = message.envelope.to.map(({ address, name }) => address ?? `${name}:`)
    expect(to).toEqual([
      'jane@example.com',
      'friends:',
      'a@example.com',
      'b@example.com',
      'undisclosed-recipients:',
    ])
    expect(message.incomplete).toBeUndefined()
  })

  test('fetchMessages: subject in raw UTF-8, is decoded', async () => {
    await using one = await account()
    const { envelope } = await roundTrip(
      environment,
      one,
      Buffer.from('Subject: Grüße 🎉\r\n\r\nx\r\n'),
    )
    expect(envelope.subject).toBe('Grüße 🎉')
  })

  test('fetchMessages: missing headers and an invalid date, leave fields absent', async () => {
    await using one = await account()
    const date = new Date('2024-02-29T12:00:00Z')
    const bare = await roundTrip(environment, one, '\r\nno headers at all\r\n')
    expect(bare.envelope).toEqual({ from: [], sender: [], replyTo: [], to: [], cc: [], bcc: [] })
    const uid = await one.append(
      'Date: the day before yesterday, 99:99\r\nFrom: invalid\r\n\r\nx\r\n',
      { date },
    )
    await using session = await backend.connect(one.options)
    await session.select('INBOX')
    const weird = await fetchOne(session, uid)
    expect(weird.envelope.date).toBeUndefined()
    expect(weird.internalDate).toEqual(date)
  })

  test('fetchMessages: nested message, has the part numbers for downloads', async () => {
    await using one = await account()
    const { bodyStructure } = await roundTrip(environment, one, nested)
    expect(numbers(bodyStructure)).toEqual([
      undefined,
      'multipart/mixed',
      [
        [
          '1',
          'multipart/alternative',
          [
            ['1.1', 'text/plain'],
            ['1.2', 'text/html'],
          ],
        ],
        ['2', 'application/pdf'],
        ['3', 'message/rfc822', [['3.1', 'text/plain']]],
      ],
    ])
    expect(bodyStructure.childNodes?.[1]).toMatchObject({
      encoding: 'base64',
      id: '<pdf@x>',
      disposition: 'attachment',
      dispositionParameters: { filename: 'ä.pdf' },
      parameters: { name: 'a.pdf' },
    })
  })

  test('fetchMessages: message without multipart, is its own part 1', async () => {
    await using one = await account()
    expect(await roundTrip(environment, one, mail)).toMatchObject({
      bodyStructure: { part: '1', type: 'text/plain' },
    })
  })

  test('fetchMessages: ascending without deleted messages, other calls run in between', async () => {
    await using one = await account()
    for (let n = 0; n < 6; n++) await one.append(mail)
    await one.expunge(3)
    await using session = await backend.connect(one.options)
    await session.select('INBOX')
    const seen: number[] = []
    for await (const { uid } of session.fetchMessages([
      [1, 4],
      [6, 9],
    ])) {
      seen.push(uid)
      await session.ping()
      if (uid === 6) break
    }
    expect(seen).toEqual([1, 2, 4, 6])
    expect(await Array.fromAsync(session.fetchMessages([]))).toEqual([])
    expect(await Array.fromAsync(session.fetchMessages([[700, 1_300]]))).toEqual([])
  })

  test('MailSession: calls on a deleted message, are MessageNotFound', async () => {
    await using one = await account()
    const uid = await one.append(mail)
    await using session = await backend.connect(one.options)
    await session.select('INBOX')
    await one.expunge(uid)
    await session.ping()
    const missing = { kind: 'not-found', code: 'MessageNotFound' }
    await expect(session.downloadSource(uid)).rejects.toMatchObject(missing)
    await expect(session.downloadPart(uid, '1')).rejects.toMatchObject(missing)
    await session.ping()
  })
}
