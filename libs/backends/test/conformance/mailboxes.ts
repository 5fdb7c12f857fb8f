import { expect, test } from '@jest/globals'
import { countUids } from '../../src/uid-ranges.ts'
import type { TestEnvironment } from '../environment.ts'

const mail = 'Subject: hello\r\n\r\nhello\r\n'

export function mailboxCases({ backend, account }: TestEnvironment): void {
  test('listMailboxes: returns special uses', async () => {
    await using one = await account()
    await one.createMailbox('Projekte/Ärger & Co')
    await using session = await backend.connect(one.options)
    const listed = await session.listMailboxes()
    const uses = listed
      .filter(({ specialUse }) => specialUse !== undefined)
      .map(({ path, specialUse }) => [path, specialUse])
    expect(new Map(uses as [string, string][])).toEqual(
      new Map([
        ['INBOX', '\\Inbox'],
        ['Sent', '\\Sent'],
        ['Drafts', '\\Drafts'],
        ['Junk', '\\Junk'],
        ['Trash', '\\Trash'],
        ['Archive', '\\Archive'],
      ]),
    )
    expect(listed.find(({ specialUse }) => specialUse === '\\Sent')).toMatchObject({
      specialUseSource: 'extension',
      subscribed: true,
    })
    expect(listed.find(({ name }) => name === 'Ärger & Co')).toMatchObject({
      path: 'Projekte/Ärger & Co',
      parentPath: 'Projekte',
      delimiter: '/',
      selectable: true,
    })
    // The parent mailbox is created along with its child, or is only a level of the child's path.
    const above = listed.find(({ path }) => path === 'Projekte')
    if (above?.selectable) await session.select('Projekte')
    else await expect(session.select('Projekte')).rejects.toMatchObject({ name: 'AppError' })
    expect(await session.select('Projekte/Ärger & Co')).toMatchObject({ messages: 0 })
  })

  test('MailSession.status, select: counters follow changes', async () => {
    await using one = await account()
    await using session = await backend.connect(one.options)
    const before = await session.select('INBOX')
    expect(before).toMatchObject({ path: 'INBOX', messages: 0, uidNext: 1 })
    const uid = await one.append(mail)
    await one.append(mail, { flags: ['\\Seen'] })
    const after = await session.select('INBOX')
    expect(after).toMatchObject({ messages: 2, uidNext: uid + 2, uidValidity: before.uidValidity })
    expect(after.highestModseq).toBeGreaterThan(before.highestModseq ?? 0n)
    expect(await session.status('INBOX')).toMatchObject({
      messages: 2,
      unseen: 1,
      uidNext: uid + 2,
      uidValidity: before.uidValidity,
    })
  })

  test('listMailboxes: with status, returns counters', async () => {
    await using one = await account()
    await using session = await backend.connect(one.options)
    await one.append(mail)
    await one.append(mail, { flags: ['\\Seen'] })
    await one.createMailbox('Projects/Ärger & Co')
    const listed = await session.listMailboxes({ status: true })
    const inbox = listed.find(({ path }) => path === 'INBOX')
    expect(inbox?.status).toMatchObject({ path: 'INBOX', messages: 2, unseen: 1, uidNext: 3 })
    expect(inbox?.status).toEqual(await session.status('INBOX'))
    expect(listed.find(({ path }) => path === 'Projects/Ärger & Co')?.status).toMatchObject({
      messages: 0,
      uidNext: 1,
    })
    expect(listed.filter(({ selectable, status }) => selectable && !status)).toEqual([])
    expect((await session.listMailboxes()).filter(({ status }) => status)).toEqual([])
  })

  test('listMailboxes: mailbox ids, are unique and stable', async () => {
    await using one = await account()
    await using session = await backend.connect(one.options)
    const ids = async () =>
      (await session.listMailboxes({ status: true })).map((each) => each.mailboxId)
    const before = await ids()
    await one.createMailbox('Zuletzt')
    await session.select('INBOX')
    const after = await ids()
    const defined = after.filter((id) => id !== undefined)
    expect([0, after.length]).toContain(defined.length)
    expect(new Set(defined).size).toBe(defined.length)
    expect(after).toEqual(expect.arrayContaining(before))
  })

  test('MailSession.select: missing mailbox, is FolderNotFound and the session stays usable', async () => {
    await using one = await account()
    await using session = await backend.connect(one.options)
    const missing = { kind: 'not-found', code: 'FolderNotFound' }
    await session.select('INBOX')
    await expect(session.select('Nowhere')).rejects.toMatchObject(missing)
    await expect(session.status('Nowhere')).rejects.toMatchObject(missing)
    await expect(session.searchUids({ all: true })).rejects.toMatchObject({
      name: 'AppError',
      message: 'No mailbox is selected',
    })
    await session.select('INBOX')
    expect(await session.searchUids({ all: true })).toEqual([])
  })

  test('searchUids: all, with a flag, without it, returns the UIDs', async () => {
    await using one = await account()
    await using session = await backend.connect(one.options)
    await session.select('INBOX')
    const flags = [[], ['\\Seen'], ['\\Seen', 'work'], ['\\Flagged'], []]
    for (const each of flags) await one.append(mail, { flags: each })
    await one.expunge(4)
    await session.select('INBOX')
    expect(await session.searchUids({ all: true })).toEqual([
      [1, 3],
      [5, 5],
    ])
    expect(await session.searchUids({ flag: '\\Seen' })).toEqual([[2, 3]])
    expect(await session.searchUids({ without: '\\Seen' })).toEqual([
      [1, 1],
      [5, 5],
    ])
    expect(await session.searchUids({ flag: 'work' })).toEqual([[3, 3]])
    expect(await session.searchUids({ without: 'work' })).toEqual([
      [1, 2],
      [5, 5],
    ])
    expect(await session.searchUids({ flag: '\\Deleted' })).toEqual([])
    expect(
      countUids(await session.searchUids({ since: new Date(Date.now() - 2 * 86_400_000) })),
    ).toBe(4)
    expect(await session.searchUids({ since: new Date(Date.now() + 2 * 86_400_000) })).toEqual([])
  })
}
