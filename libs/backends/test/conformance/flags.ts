import { expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import type { MailboxNotification, MailSession } from '../../src/mail-session.ts'
import type { TestEnvironment } from '../environment.ts'

const mail = 'Subject: hello\r\n\r\nhello\r\n'

async function flagsIn(session: MailSession): Promise<Record<number, string[]>> {
  const all = await session.searchUids({ all: true })
  const messages = await Array.fromAsync(session.fetchMessages(all))
  return Object.fromEntries(
    messages.map(({ uid, flags }) => [uid, flags.filter((flag) => flag !== '\\Recent').sort()]),
  )
}

export function flagCases({ backend, account }: TestEnvironment): void {
  test('changeFlags: adds, removes or sets flags of many messages', async () => {
    await using one = await account()
    for (let n = 0; n < 4; n++) await one.append(mail, { flags: ['\\Flagged', 'old'] })
    await using session = await backend.connect(one.options)
    await session.select('INBOX')
    const some = [[1, 2] as const, [4, 4] as const]
    await session.changeFlags(some, { add: ['\\Seen', 'work'], remove: ['\\Flagged'] })
    expect(await flagsIn(session)).toEqual({
      1: ['\\Seen', 'old', 'work'],
      2: ['\\Seen', 'old', 'work'],
      3: ['\\Flagged', 'old'],
      4: ['\\Seen', 'old', 'work'],
    })
    await session.changeFlags([[2, 3]], { set: ['\\Draft'] })
    await session.changeFlags([[4, 4]], { set: [] })
    expect(await flagsIn(session)).toEqual({
      1: ['\\Seen', 'old', 'work'],
      2: ['\\Draft'],
      3: ['\\Draft'],
      4: [],
    })
  })

  test('changeFlags: deleted or no messages, are skipped', async () => {
    await using one = await account()
    for (let n = 0; n < 3; n++) await one.append(mail)
    await one.expunge(2)
    await using session = await backend.connect(one.options)
    await session.select('INBOX')
    await session.changeFlags([[1, 4_294_967_295]], { add: ['\\Seen'] })
    await session.changeFlags([[2, 2]], { add: ['\\Flagged'] })
    await session.changeFlags([], { add: ['\\Flagged'] })
    expect(await flagsIn(session)).toEqual({ 1: ['\\Seen'], 3: ['\\Seen'] })
  })

  test('changeFlags: more ranges than a line holds, changes all', async () => {
    await using one = await account()
    for (let n = 0; n < 3; n++) await one.append(mail)
    await using session = await backend.connect(one.options)
    await session.select('INBOX')
    const far = Array.from({ length: 3_000 }, (_, n) => {
      const uid = 1_000_000 + 2 * n
      return [uid, uid] as const
    })
    await session.changeFlags([[1, 1], [3, 3], ...far], { add: ['\\Answered'] })
    expect(await flagsIn(session)).toEqual({ 1: ['\\Answered'], 2: [], 3: ['\\Answered'] })
  })

  test('confirmFlags: messages without the change, are returned', async () => {
    await using one = await account()
    for (let n = 0; n < 3; n++) await one.append(mail, { flags: ['old'] })
    await using session = await backend.connect(one.options)
    await session.select('INBOX')
    // The IMAP connection of `session` still has the deleted message until the server reports the
    // deletion.
    await one.expunge(2)
    const change = { add: ['\\Flagged', 'new'], remove: ['old'] }
    const all = { unchanged: [], missing: [] }
    expect(await session.confirmFlags([[1, 3]], change)).toEqual({ ...all, missing: [[2, 2]] })
    const changed = ['\\Flagged', 'new']
    expect(await flagsIn(session)).toEqual({ 1: changed, 3: changed })
    // An IMAP server may send no flags in response to a STORE command that changes no flag.
    for (const again of [change, { set: ['NEW', '\\flagged'] }, { remove: ['old'] }])
      expect(
        await session.confirmFlags(
          [
            [1, 1],
            [3, 3],
          ],
          again,
        ),
      ).toEqual(all)
    expect(await session.confirmFlags([[9, 9]], change)).toEqual({ ...all, missing: [[9, 9]] })
    expect(await session.confirmFlags([], change)).toEqual(all)
  })

  test('changeFlags: watch on the same session, receives the new flags', async () => {
    await using one = await account()
    const uid = await one.append(mail)
    await using session = await backend.connect(one.options)
    await session.select('INBOX')
    const notifications: MailboxNotification[] = []
    const stop = new AbortController()
    const watching = session.watch((notification) => notifications.push(notification), stop.signal)
    await session.changeFlags([[uid, uid]], { add: ['\\Flagged'] })
    await eventually(() =>
      expect(notifications).toContainEqual(
        expect.objectContaining({
          kind: 'flags',
          uid,
          flags: expect.arrayContaining(['\\Flagged']),
        }),
      ),
    )
    stop.abort()
    await watching
  })

  test('changeFlags: mailbox selected read-only, is rejected', async () => {
    await using one = await account()
    const uid = await one.append(mail)
    await using session = await backend.connect(one.options)
    await session.select('INBOX', { readOnly: true })
    await expect(session.changeFlags([[uid, uid]], { add: ['\\Seen'] })).rejects.toMatchObject({
      kind: 'rejected',
    })
    expect(await session.searchUids({ flag: '\\Seen' })).toEqual([])
  })

  test.each(['', '\\', 'two words', 'a)', 'a\r\nX LOGOUT', '(', 'ä', '\\Recent', 'a"b', '{5}'])(
    'changeFlags: %j, is invalid and not sent',
    async (flag) => {
      await using one = await account()
      const uid = await one.append(mail)
      await using session = await backend.connect(one.options)
      await session.select('INBOX')
      const invalid = { kind: 'invalid' }
      const all = [[uid, uid] as const]
      await expect(session.changeFlags(all, { add: ['ok', flag] })).rejects.toMatchObject(invalid)
      await expect(session.changeFlags(all, { set: [flag] })).rejects.toMatchObject(invalid)
      expect(await flagsIn(session)).toEqual({ [uid]: [] })
    },
  )

  test('changeLabels: server without labels, is unprocessable', async () => {
    await using one = await account()
    const uid = await one.append(mail)
    await using session = await backend.connect(one.options)
    await session.select('INBOX')
    if (session.capabilities.gmail) return
    await expect(session.changeLabels([[uid, uid]], { add: ['work'] })).rejects.toMatchObject({
      kind: 'unprocessable',
      code: 'MissingServerExtension',
    })
  })
}
