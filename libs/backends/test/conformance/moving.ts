import { expect, test } from '@jest/globals'
import type { MailSession } from '../../src/mail-session.ts'
import { countUids } from '../../src/uid-ranges.ts'
import type { TestEnvironment } from '../environment.ts'

function mail(subject: string): string {
  return `From: a@example.com\r\nSubject: ${subject}\r\n\r\nhello\r\n`
}

async function subjectsIn(session: MailSession, path: string): Promise<Map<number, string>> {
  await session.select(path)
  const all = await session.searchUids({ all: true })
  const messages = await Array.fromAsync(session.fetchMessages(all))
  return new Map(messages.map(({ uid, envelope }) => [uid, envelope.subject ?? '']))
}

async function readSource(session: MailSession, uid: number): Promise<Buffer> {
  const { content } = await session.downloadSource(uid)
  return Buffer.concat(await Array.fromAsync(content))
}

export function movingCases({ backend, account }: TestEnvironment): void {
  test('moveMessages: returns the new UIDs', async () => {
    await using one = await account()
    await using session = await backend.connect(one.options)
    const { path } = await session.createMailbox('Ablage Ä & Ö')
    await session.appendMessage(path, Buffer.from(mail('first')))
    for (const subject of ['a', 'b', 'c', 'd']) await one.append(mail(subject))
    await session.select('INBOX')
    const moved = await session.moveMessages(
      [
        [4, 4],
        [1, 2],
      ],
      path,
    )
    expect(moved.path).toBe(path)
    expect([...(await subjectsIn(session, 'INBOX')).values()]).toEqual(['c'])
    const there = await subjectsIn(session, path)
    expect([...there.values()].sort()).toEqual(['a', 'b', 'd', 'first'])
    if (!session.capabilities.uidPlus) return
    expect(moved.uidValidity).toBe((await session.status(path)).uidValidity)
    const subjects = [1, 2, 4].map((uid) => there.get(moved.uids?.get(uid) ?? 0))
    expect(subjects).toEqual(['a', 'b', 'd'])
    expect(moved.uids?.size).toBe(3)
  })

  test('moveMessages: no or deleted messages, moves nothing', async () => {
    await using one = await account()
    await using session = await backend.connect(one.options)
    const { path } = await session.createMailbox('Ziel')
    await one.append(mail('a'))
    await session.select('INBOX')
    expect(await session.moveMessages([], path)).toEqual({ path })
    expect((await session.moveMessages([[7, 9]], path)).uids?.size ?? 0).toBe(0)
    expect(await session.status(path)).toMatchObject({ messages: 0 })
  })

  test('moveMessages: missing destination, leaves the messages', async () => {
    await using one = await account()
    const uid = await one.append(mail('a'))
    await using session = await backend.connect(one.options)
    await session.select('INBOX')
    await expect(session.moveMessages([[uid, uid]], 'Nowhere')).rejects.toMatchObject({
      kind: 'not-found',
      code: 'FolderNotFound',
    })
    expect(await session.searchUids({ all: true })).toEqual([[uid, uid]])
  })

  test('expungeMessages: deletes exactly these messages', async () => {
    await using one = await account()
    for (const subject of ['a', 'b', 'c', 'd'])
      await one.append(mail(subject), { flags: subject === 'b' ? ['\\Deleted'] : [] })
    await using session = await backend.connect(one.options)
    await session.select('INBOX')
    await session.expungeMessages([
      [1, 1],
      [3, 3],
    ])
    const left = [...(await subjectsIn(session, 'INBOX')).values()]
    expect(left).toEqual(session.capabilities.uidPlus ? ['b', 'd'] : ['a', 'b', 'c', 'd'])
    await session.expungeMessages([])
    await session.expungeMessages([[2, 4_294_967_295]])
    expect([...(await subjectsIn(session, 'INBOX')).values()]).toEqual([])
  })

  test('appendMessage: 5 MB, stores the bytes with flags and date', async () => {
    await using one = await account()
    await using session = await backend.connect(one.options)
    const line = `${'0123456789'.repeat(7)}\r\n`
    const content = Buffer.from(mail('big') + line.repeat(Math.ceil(5_000_000 / line.length)))
    const internalDate = new Date('2020-02-29T23:59:58Z')
    await session.select('INBOX')
    const stored = await session.appendMessage('INBOX', content, {
      flags: ['\\Seen', 'work'],
      internalDate,
    })
    const { uidValidity } = await session.select('INBOX')
    const uid = (await session.searchUids({ all: true }))[0]?.[0] ?? 0
    if (session.capabilities.uidPlus)
      expect(stored).toMatchObject({ path: 'INBOX', uid, uidValidity })
    else expect(stored.uid).toBeUndefined()
    const [message] = await Array.fromAsync(session.fetchMessages([[uid, uid]]))
    expect(message).toMatchObject({
      internalDate,
      flags: expect.arrayContaining(['\\Seen', 'work']),
      envelope: { subject: 'big' },
    })
    expect((await readSource(session, uid)).equals(content)).toBe(true)
  })

  test('appendMessage: any line ends, stores CRLF', async () => {
    await using one = await account()
    await using session = await backend.connect(one.options)
    const { path } = await session.createMailbox('Entwürfe 2')
    await session.appendMessage(path, Buffer.from('Subject: x\n\none\r\ntwo\n'))
    await session.select(path)
    expect((await readSource(session, 1)).toString()).toBe('Subject: x\r\n\r\none\r\ntwo\r\n')
  })

  test('appendMessage: missing mailbox, stores nothing', async () => {
    await using one = await account()
    await using session = await backend.connect(one.options)
    await session.select('INBOX')
    const content = Buffer.from(mail('lost') + 'x'.repeat(100_000))
    await expect(session.appendMessage('Nowhere/Ä', content)).rejects.toMatchObject({
      kind: 'not-found',
      code: 'FolderNotFound',
    })
    expect(countUids(await session.searchUids({ all: true }))).toBe(0)
  })
}
