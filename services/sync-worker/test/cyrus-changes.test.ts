import { expect, test } from '@jest/globals'
import {
  createMailbox,
  deleteMailbox,
  listMailboxes,
  updateMailbox,
} from '@posthorn/contracts/commands/mailboxes'
import {
  deleteMessages,
  moveMessages,
  updateMessage,
} from '@posthorn/contracts/commands/message-changes'
import { getMessage, listMessages } from '@posthorn/contracts/commands/messages'
import { eventually, isSwitchedOff, testCyrus } from '@posthorn/testkit'
import { ImapClient, mail } from './imap-client.ts'
import { testWorld } from './world.ts'

const testWithCyrus = isSwitchedOff('TEST_CYRUS') ? test.skip : test

testWithCyrus(
  'Cyrus: changes of mailboxes and messages are announced, ids stay valid',
  async () => {
    const world = await testWorld()
    const cyrus = await testCyrus()
    try {
      await world.startWorker({ mailboxPollMs: 3_600_000 })
      const user = cyrus.freshUser()
      await using client = await ImapClient.login(user)
      for (const subject of ['one', 'two', 'three']) await client.append('INBOX', mail({ subject }))
      const account = await world.register(user, { imap: { resyncDelay: 3_600 } })
      await world.connected(account)
      const list = async (path: string) =>
        (await world.ask(listMessages, account, { path, page: 0, pageSize: 9 })).messages

      const created = await world.ask(createMailbox, account, { path: ['Old', 'Files'] })
      const { path } = created
      expect(created).toMatchObject({ created: true, mailboxId: expect.any(String) })
      await eventually(async () => {
        const received = await world.events(account, 'mailboxNew')
        expect(received.map((event) => event.path)).toContain(path)
      })
      const result = await list('INBOX')
      const id = result.find(({ subject }) => subject === 'one')?.id ?? ''
      await world.ask(updateMessage, account, {
        message: id,
        update: { flags: { add: ['\\Flagged', '$Todo'] } },
      })
      const { flags } = await world.ask(getMessage, account, { message: id })
      expect(flags).toEqual(['$Todo', '\\Flagged'])

      const moved = await world.ask(moveMessages, account, {
        path: 'INBOX',
        search: { subject: 'one' },
        destination: path,
      })
      expect(moved.emailIds).toHaveLength(1)
      const [[before, now] = ['', '']] = moved.idMap ?? []
      expect(before).toBe(id)
      const there = await world.ask(getMessage, account, { message: now })
      expect(there).toMatchObject({ subject: 'one', path, emailId: moved.emailIds?.[0] })

      const renamed = await world.ask(updateMailbox, account, { path, newPath: 'New' })
      expect(renamed).toMatchObject({ renamed: true, mailboxId: created.mailboxId })
      expect(await world.ask(getMessage, account, { message: now })).toMatchObject({
        subject: 'one',
        path: renamed.newPath,
      })
      const trashed = await world.ask(deleteMessages, account, {
        path: 'INBOX',
        search: { emailIds: result.map(({ emailId = '' }) => emailId) },
        force: false,
      })
      expect(trashed.moved?.emailIds).toHaveLength(2)
      expect(await list('\\Trash')).toHaveLength(2)

      const newPath = renamed.newPath ?? ''
      await expect(world.ask(createMailbox, account, { path: newPath })).rejects.toMatchObject({
        kind: 'rejected',
      })
      await world.ask(deleteMailbox, account, { path: newPath })
      const { mailboxes } = await world.ask(listMailboxes, account, { counters: false })
      expect(mailboxes.map((mailbox) => mailbox.path)).not.toContain(newPath)
    } finally {
      await world.close()
      await cyrus.drop()
    }
  },
)
