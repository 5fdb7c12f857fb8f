import { expect, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import type { ListedMailbox, MailSession } from '../../src/mail-session.ts'
import type { TestEnvironment } from '../environment.ts'

const mail = 'Subject: hello\r\n\r\nhello\r\n'

async function listed(session: MailSession): Promise<Map<string, ListedMailbox>> {
  return new Map((await session.listMailboxes()).map((mailbox) => [mailbox.path, mailbox]))
}

export function mailboxCommandCases({ backend, account }: TestEnvironment): void {
  test('createMailbox: path or levels, creates and subscribes to it', async () => {
    await using one = await account()
    await using session = await backend.connect(one.options)
    const plain = await session.createMailbox('Rechnungen')
    expect(plain).toMatchObject({ created: true, path: expect.stringMatching(/Rechnungen$/) })
    const deep = await session.createMailbox(['Kunden', 'Ä & Ö', '日本語 😀'])
    const mailboxes = await listed(session)
    expect(mailboxes.get(plain.path)).toMatchObject({ subscribed: true, selectable: true })
    expect(mailboxes.get(deep.path)).toMatchObject({ name: '日本語 😀', selectable: true })
    expect(await session.select(deep.path)).toMatchObject({ messages: 0, path: deep.path })
    if (session.capabilities.objectId)
      expect(deep.mailboxId).toBe(mailboxes.get(deep.path)?.mailboxId ?? deep.mailboxId)
  })

  test('createMailbox: special characters, lists the same name', async () => {
    await using one = await account()
    await using session = await backend.connect(one.options)
    for (const name of ['a "quoted" one', 'NIL', 'x(y)z', '&-&', 'Ünï & "x"', ' before']) {
      let path: string | undefined
      try {
        path = (await session.createMailbox(name)).path
      } catch (error) {
        // A mail server may reject some characters in mailbox names. The session stays usable after
        // the rejection.
        expect(error).toMatchObject({ kind: 'rejected' })
      }
      if (path !== undefined) expect((await listed(session)).has(path)).toBe(true)
    }
  })

  test.each(['', 'a\r\nX LOGOUT', 'a\0b', '\x7f', 'x'.repeat(2_000)])(
    'createMailbox: %j, is invalid and not sent',
    async (name) => {
      await using one = await account()
      await using session = await backend.connect(one.options)
      await expect(session.createMailbox(name)).rejects.toMatchObject({ kind: 'invalid' })
      await expect(session.createMailbox(['a', name])).rejects.toMatchObject({ kind: 'invalid' })
      await session.ping()
    },
  )

  test('mailbox commands: existing or missing mailbox, have the code of the server', async () => {
    await using one = await account()
    await using session = await backend.connect(one.options)
    const { path } = await session.createMailbox('Twice')
    const refused = {
      kind: 'rejected',
      extras: { info: { response: expect.stringMatching(/./), status: 'NO' } },
    }
    await expect(session.createMailbox('Twice')).rejects.toMatchObject(refused)
    await expect(session.renameMailbox('Nowhere', 'Elsewhere')).rejects.toMatchObject({
      ...refused,
      code: expect.stringMatching(/^(NONEXISTENT|RenameFailed)$/),
    })
    await expect(session.deleteMailbox('Nowhere')).rejects.toMatchObject({
      ...refused,
      code: expect.stringMatching(/^(NONEXISTENT|DeleteFailed)$/),
    })
    await expect(session.renameMailbox(path, 'INBOX')).rejects.toMatchObject(refused)
    await session.ping()
  })

  test('renameMailbox: renames children and keeps subscriptions', async () => {
    await using one = await account()
    await using session = await backend.connect(one.options)
    const { path: top } = await session.createMailbox('Alt')
    const { path: below } = await session.createMailbox(['Alt', 'Äpfel'])
    await session.createMailbox(['Alt', 'Äpfel', 'Boskop'])
    await session.appendMessage(below, Buffer.from(mail))
    await session.select(below)
    const renamed = await session.renameMailbox(top, ['Neu', 'Obst & Süßes'])
    const now = below.replace(top, renamed)
    const mailboxes = await listed(session)
    expect(mailboxes.has(top)).toBe(false)
    expect(mailboxes.has(below)).toBe(false)
    expect(mailboxes.get(now)).toMatchObject({ name: 'Äpfel', subscribed: true })
    expect(mailboxes.get(renamed)).toMatchObject({ subscribed: true })
    expect(await session.select(now)).toMatchObject({ messages: 1 })
  })

  test('renameMailbox, deleteMailbox: selected mailbox, succeed without losing messages', async () => {
    await using one = await account()
    await using session = await backend.connect(one.options)
    const { path } = await session.createMailbox('Offen')
    await session.appendMessage(path, Buffer.from(mail), { flags: ['\\Deleted'] })
    await session.select(path)
    const renamed = await session.renameMailbox(path, 'Umbenannt')
    await expect(session.searchUids({ all: true })).rejects.toMatchObject({ kind: 'internal' })
    expect(await session.select(renamed)).toMatchObject({ messages: 1 })
    await session.deleteMailbox(renamed)
    await expect(session.select(renamed)).rejects.toMatchObject({ code: 'FolderNotFound' })
    expect((await listed(session)).get(renamed)?.selectable ?? false).toBe(false)
  })

  test('deleteMailbox: with children, keeps them or is rejected', async () => {
    await using one = await account()
    await using session = await backend.connect(one.options)
    const { path: top } = await session.createMailbox('Oben')
    const { path: below } = await session.createMailbox(['Oben', 'Unten'])
    await session.appendMessage(below, Buffer.from(mail))
    const deleted = await session.deleteMailbox(top).then(
      () => true,
      (error: unknown) => {
        expect(error).toMatchObject({ kind: 'rejected' })
        return false
      },
    )
    expect((await listed(session)).get(below)).toMatchObject({ selectable: true })
    // The deleted mailbox may stay in the list as the parent of its child mailbox, but is not
    // selectable.
    const selection = session.select(top)
    if (deleted) await expect(selection).rejects.toBeInstanceOf(AppError)
    else expect(await selection).toMatchObject({ messages: 0 })
    expect(await session.status(below)).toMatchObject({ messages: 1 })
    await session.deleteMailbox(below)
    expect((await listed(session)).get(below)?.selectable ?? false).toBe(false)
  })

  test('deleteMailbox: inbox, is rejected', async () => {
    await using one = await account()
    await using session = await backend.connect(one.options)
    await one.append(mail)
    for (const name of ['INBOX', 'inbox'])
      await expect(session.deleteMailbox(name)).rejects.toMatchObject({
        kind: 'rejected',
        code: 'CANNOT',
      })
    expect(await session.select('INBOX')).toMatchObject({ messages: 1 })
  })

  test('MailSession.subscribe: subscribes and unsubscribes', async () => {
    await using one = await account()
    await using session = await backend.connect(one.options)
    const { path } = await session.createMailbox('Abo')
    await session.subscribe(path, false)
    expect((await listed(session)).get(path)).toMatchObject({ subscribed: false })
    await session.subscribe(path, true)
    expect((await listed(session)).get(path)).toMatchObject({ subscribed: true })
  })

  test('MailSession.quota: returns the quota if there is one', async () => {
    await using one = await account()
    await using session = await backend.connect(one.options)
    const quota = await session.quota()
    if (!session.capabilities.quota) expect(quota).toBeUndefined()
    else if (quota) {
      expect(quota.limit).toBeGreaterThan(0)
      await session.appendMessage('INBOX', Buffer.from(`${mail}${'x'.repeat(900)}\r\n`.repeat(100)))
      expect((await session.quota())?.usage).toBeGreaterThan(quota.usage)
    }
  })
}
