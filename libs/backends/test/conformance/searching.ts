import { expect, test } from '@jest/globals'
import type { MailSession, SearchTerms } from '../../src/mail-session.ts'
import { uidsIn } from '../../src/uid-ranges.ts'
import type { TestEnvironment, TestAccount } from '../environment.ts'

const hour = 3_600_000

function mail(headers: Record<string, string>, text = 'hello'): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [
    ...lines,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: 8bit',
    '',
    text,
    '',
  ].join('\r\n')
}

/** Stores four messages for the search tests, with the UIDs 1 to 4. */
async function storeSearchMessages(one: TestAccount): Promise<void> {
  const first = {
    From: 'Jürgen <juergen@example.com>'.replace('Jürgen', '=?utf-8?Q?J=C3=BCrgen?='),
    To: 'anna@example.com',
    Subject: '=?utf-8?Q?Gr=C3=BC=C3=9Fe_aus_K=C3=B6ln?=',
    Date: 'Mon, 1 Jan 2024 12:00:00 +0000',
    'X-Topic': 'trains and "quotes"',
  }
  await one.append(mail(first, 'Straßenbahn'), {
    flags: ['\\Seen', '\\Answered'],
    date: new Date('2024-01-02T12:00:00Z'),
  })
  const second = {
    From: 'bob@example.com',
    Cc: 'carl@example.com',
    Bcc: 'dora@example.com',
    Subject: 'plain (really)',
    Date: 'Thu, 1 Feb 2024 12:00:00 +0000',
  }
  await one.append(mail(second, 'x'.repeat(3_000)), {
    flags: ['\\Flagged'],
    date: new Date('2024-02-02T12:00:00Z'),
  })
  const third = {
    From: 'bob@example.com',
    Subject: 'draft',
    Date: 'Fri, 1 Mar 2024 12:00:00 +0000',
  }
  await one.append(mail(third), {
    flags: ['\\Draft', '\\Seen'],
    date: new Date('2024-03-02T12:00:00Z'),
  })
  await one.append(mail({ ...third, Subject: 'gone soon' }), { flags: ['\\Deleted'] })
}

async function searchUidsOf(session: MailSession, terms: SearchTerms): Promise<number[]> {
  return [...uidsIn(await session.search(terms))]
}

export function searchCases({ backend, account }: TestEnvironment): void {
  test('MailSession.search: every term, returns its matches', async () => {
    await using one = await account()
    await storeSearchMessages(one)
    await using session = await backend.connect(one.options)
    await session.select('INBOX', { readOnly: true })
    const day = (text: string) => new Date(`${text}T00:00:00Z`)
    const cases: [SearchTerms, number[]][] = [
      [{}, [1, 2, 3, 4]],
      [{ answered: true }, [1]],
      [{ answered: false }, [2, 3, 4]],
      [{ deleted: true }, [4]],
      [{ draft: true }, [3]],
      [{ draft: false, deleted: false }, [1, 2]],
      [{ seen: true }, [1, 3]],
      [{ unseen: true }, [2, 4]],
      [{ unseen: false }, [1, 3]],
      [{ seen: true, unseen: true }, []],
      [{ flagged: true }, [2]],
      [{ from: 'bob' }, [2, 3, 4]],
      [{ from: 'BOB@example', flagged: false }, [3, 4]],
      [{ to: 'anna' }, [1]],
      [{ cc: 'carl' }, [2]],
      [{ bcc: 'dora' }, [2]],
      [{ subject: 'plain (really)' }, [2]],
      [{ body: 'hello' }, [3, 4]],
      [{ larger: 2_500 }, [2]],
      [{ smaller: 2_500 }, [1, 3, 4]],
      [{ larger: 0 }, [1, 2, 3, 4]],
      [{ smaller: 0 }, []],
      [{ since: day('2024-02-01') }, [2, 3, 4]],
      [{ before: day('2024-02-01') }, [1]],
      [{ since: day('2024-02-01'), before: day('2024-03-01') }, [2]],
      [{ sentSince: day('2024-02-01') }, [2, 3, 4]],
      [{ sentBefore: day('2024-02-01') }, [1]],
      [{ sentBefore: new Date('2024-02-01T08:00:00Z') }, [1, 2]],
      [{ header: { 'X-Topic': 'trains' } }, [1]],
      [{ header: { 'x-topic': true } }, [1]],
      [{ header: { 'X-Topic': '"quotes"' } }, [1]],
      [{ header: { 'X-Topic': 'planes' } }, []],
      [{ header: { 'X-Nothing': true } }, []],
      [{ uid: '2,4' }, [2, 4]],
      [{ uid: '3:*', seen: true }, [3]],
      [{ seq: '1:2' }, [1, 2]],
      [{ seq: '*' }, [4]],
      [{ seq: '2:4', uid: '1:3' }, [2, 3]],
    ]
    for (const [terms, uids] of cases)
      expect([terms, await searchUidsOf(session, terms)]).toEqual([terms, uids])
  })

  test('MailSession.search: texts in any language, returns matches', async () => {
    await using one = await account()
    await storeSearchMessages(one)
    await using session = await backend.connect(one.options)
    await session.select('INBOX')
    expect(await searchUidsOf(session, { subject: 'grüße' })).toEqual([1])
    expect(
      await searchUidsOf(session, { subject: 'Köln', from: 'jürgen', body: 'straßenbahn' }),
    ).toEqual([1])
    expect(await searchUidsOf(session, { subject: '日本語' })).toEqual([])
    expect(await searchUidsOf(session, { subject: 'plain', body: 'ü' })).toEqual([])
  })

  test('MailSession.search: times of day, are exact as far as the server supports them', async () => {
    await using one = await account()
    await one.append(mail({ Subject: 'old' }), { date: new Date(Date.now() - 72 * hour) })
    await one.append(mail({ Subject: 'new' }))
    await using session = await backend.connect(one.options)
    await session.select('INBOX')
    const back = (hours: number) => new Date(Date.now() - hours * hour + 1)
    expect(await searchUidsOf(session, { since: back(30) })).toEqual([2])
    expect(await searchUidsOf(session, { since: back(100) })).toEqual([1, 2])
    expect(await searchUidsOf(session, { before: back(30) })).toEqual([1])
    expect(await searchUidsOf(session, { before: back(-48) })).toEqual([1, 2])
  })

  test('MailSession.search: modseq, returns changes if supported', async () => {
    await using one = await account()
    await storeSearchMessages(one)
    await using session = await backend.connect(one.options)
    const { highestModseq } = await session.select('INBOX')
    if (highestModseq === undefined) {
      await expect(session.search({ modseq: 1n })).rejects.toMatchObject({
        kind: 'unprocessable',
        code: 'MissingServerExtension',
      })
      return
    }
    await one.changeFlags(2, { add: ['\\Seen'] })
    await session.ping()
    expect(await searchUidsOf(session, { modseq: highestModseq + 1n })).toEqual([2])
    expect(await searchUidsOf(session, { modseq: 0n })).toEqual([1, 2, 3, 4])
    expect(await searchUidsOf(session, { modseq: 2n ** 62n })).toEqual([])
  })

  test('MailSession.search: message ids of the server, returns matches', async () => {
    await using one = await account()
    await storeSearchMessages(one)
    await using session = await backend.connect(one.options)
    await session.select('INBOX')
    const [message] = await Array.fromAsync(session.fetchMessages([[2, 2]]))
    const { objectId, gmail } = session.capabilities
    const ids = await session.emailIds([[2, 2]])
    if (!objectId && !gmail) {
      expect(ids).toEqual(new Map())
      for (const terms of [{ emailId: 'x' }, { threadId: 'x' }, { emailIds: ['x'] }])
        await expect(session.search(terms)).rejects.toMatchObject({ kind: 'unprocessable' })
      return
    }
    const { emailId = '', threadId } = message ?? {}
    expect(emailId).not.toBe('')
    expect(ids).toEqual(new Map([[2, emailId]]))
    const all = await session.emailIds([[1, 4]])
    expect([...all.keys()]).toEqual([1, 2, 3, 4])
    expect(await searchUidsOf(session, { emailId })).toEqual([2])
    expect(await searchUidsOf(session, { emailId, seen: true })).toEqual([])
    expect(
      await searchUidsOf(session, { emailIds: [emailId, 'unknown', 'no id)'], seen: true }),
    ).toEqual([2])
    expect(await searchUidsOf(session, { emailIds: [] })).toEqual([])
    const many = Array.from({ length: 300 }, (_, n) => `unknown${n}`)
    expect(await searchUidsOf(session, { emailIds: [...many, emailId] })).toEqual([2])
    if (threadId) expect(await searchUidsOf(session, { threadId })).toContain(2)
  })

  test('MailSession.search: Gmail terms on another server, are unprocessable', async () => {
    await using one = await account()
    await using session = await backend.connect(one.options)
    await session.select('INBOX')
    if (session.capabilities.gmail) return
    for (const terms of [{ gmailRaw: 'in:anywhere' }, { labels: { has: ['a'] } }])
      await expect(session.search(terms)).rejects.toMatchObject({
        kind: 'unprocessable',
        code: 'MissingServerExtension',
      })
    expect(await searchUidsOf(session, { labels: {} })).toEqual([])
  })

  test('MailSession.search: sets longer than a line, returns all matches', async () => {
    await using one = await account()
    await storeSearchMessages(one)
    await using session = await backend.connect(one.options)
    await session.select('INBOX')
    // UIDs are below 2^31: with a greater UID in a sequence set, Cyrus 3.6 returns no result.
    const far = Array.from({ length: 4_000 }, (_, n) => 2_000_000_000 + 2 * n)
    expect(await searchUidsOf(session, { uid: ['3', ...far, '1'].join(','), body: 'ü' })).toEqual(
      [],
    )
    expect(await searchUidsOf(session, { uid: ['3', ...far, '1'].join(',') })).toEqual([1, 3])
  })

  test.each([
    'quoted " and \\',
    'a\r\nX LOGOUT',
    '{5}\r\nhello',
    ') OR (ALL',
    'NIL',
    '*',
    'ü'.repeat(200),
  ])('MailSession.search: text such as %j, is searched literally', async (text) => {
    await using one = await account()
    await storeSearchMessages(one)
    await using session = await backend.connect(one.options)
    await session.select('INBOX')
    for (const term of ['from', 'to', 'cc', 'bcc', 'subject', 'body'] as const)
      expect(await searchUidsOf(session, { [term]: text })).toEqual([])
    expect(await searchUidsOf(session, { header: { 'X-Topic': text } })).toEqual([])
    expect(await searchUidsOf(session, { subject: 'plain' })).toEqual([2])
  })
}
