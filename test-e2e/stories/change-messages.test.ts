import { afterAll, expect, test } from '@jest/globals'
import { operations } from '@posthorn/contracts/operations'
import { logIn } from './imap-client.ts'
import { uniqueAccount, useSharedWorld } from '../shared-world.ts'
import { freshMessageId, plainMessage, type Webhook } from '../world.ts'

const janeId = uniqueAccount('jane')
const plainId = uniqueAccount('plain')
const world = await useSharedWorld()
afterAll(() => world[Symbol.asyncDispose]())

const { client } = world
const ofJane = (event: string, also: (webhook: Webhook) => boolean) => (webhook: Webhook) =>
  webhook.account === janeId && webhook.event === event && also(webhook)
const params = { account: janeId }

/** Delivers a message and waits until it is announced. */
async function arrive(user: string, subject: string): Promise<Webhook['data']> {
  const messageId = freshMessageId()
  await world.mail.deliver(user, plainMessage({ messageId, subject }))
  const { data } = await world.webhook(
    ofJane('messageNew', ({ data }) => data.messageId === messageId),
  )
  return data
}

test('mailboxes and messages changed over the API: every change is reported once', async () => {
  const jane = await world.connectAccount(janeId)

  // Creates a mailbox.
  const created = await client.call(operations.createMailbox, {
    params,
    body: { path: ['Projects', '2026'] },
  })
  expect(created).toMatchObject({ status: 200, body: { path: 'Projects/2026', created: true } })
  await world.webhook(ofJane('mailboxNew', ({ path }) => path === 'Projects/2026'))
  const again = await client.call(operations.createMailbox, {
    params,
    body: { path: 'Projects/2026' },
  })
  expect(again).toMatchObject({ status: 400, body: { code: 'ALREADYEXISTS' } })
  expect(again.body).not.toHaveProperty('fields')

  // Flags a message and moves it to the new mailbox.
  const offer = await arrive(jane.user, 'The offer')
  const message = { ...params, message: offer.id }
  const flagged = await client.call(operations.updateMessage, {
    params: message,
    body: { flags: { add: ['\\Flagged', '\\Seen'] } },
  })
  expect(flagged).toMatchObject({ status: 200, body: { flags: { add: true } } })
  const { data: updated } = await world.webhook(
    ofJane('messageUpdated', ({ data }) => data.id === offer.id),
  )
  expect(updated.changes.flags.value).toEqual(['\\Flagged', '\\Seen'])
  const moved = await client.call(operations.moveMessage, {
    params: message,
    body: { path: 'Projects/2026' },
  })
  expect(moved).toMatchObject({ status: 200, body: { path: 'Projects/2026', uid: 1 } })
  await world.webhook(ofJane('messageDeleted', ({ data }) => data.id === offer.id))
  const { data: filed } = await world.webhook(
    ofJane('messageNew', ({ data }) => data.id === moved.body.id),
  )
  expect(filed).toMatchObject({ path: 'Projects/2026', subject: 'The offer', flagged: true })
  const gone = await client.call(operations.getMessage, { params: message })
  expect(gone).toMatchObject({ status: 404, body: { code: 'MessageNotFound' } })

  // Renames the mailbox. Message ids stay valid.
  const renamed = await client.call(operations.updateMailbox, {
    params,
    body: { path: 'Projects', newPath: 'Work' },
  })
  expect(renamed.body).toMatchObject({ path: 'Projects', newPath: 'Work', renamed: true })
  const read = await client.call(operations.getMessage, {
    params: { ...params, message: moved.body.id },
  })
  expect(read.body).toMatchObject({ path: 'Work/2026', subject: 'The offer' })
  await world.webhook(ofJane('mailboxDeleted', ({ path }) => path === 'Projects/2026'))

  // Updates, moves and deletes the results of a search.
  const news = [await arrive(jane.user, 'News 1'), await arrive(jane.user, 'News 2')]
  const search = { subject: 'News' }
  const marked = await client.call(operations.updateMessages, {
    params,
    query: { path: 'INBOX' },
    body: { search, update: { flags: { add: ['\\Seen'] } } },
  })
  expect(marked.body).toMatchObject({ flags: { add: true } })
  const trashed = await client.call(operations.deleteMessages, {
    params,
    query: { path: 'INBOX' },
    body: { search },
  })
  expect(trashed.body).toMatchObject({ deleted: false, moved: { destination: 'Trash' } })
  expect(trashed.body.moved.idMap.map(([before]: string[]) => before)).toEqual(
    news.map(({ id }) => id),
  )
  const [[, inTrash]] = trashed.body.moved.idMap
  await world.webhook(ofJane('messageNew', ({ data }) => data.id === inTrash))
  const forGood = await client.call(operations.deleteMessage, {
    params: { ...params, message: inTrash },
  })
  expect(forGood.body).toEqual({ deleted: true })
  await world.webhook(ofJane('messageDeleted', ({ data }) => data.id === inTrash))

  // Deletes the mailbox.
  const deleted = await client.call(operations.deleteMailbox, {
    params,
    query: { path: 'Work/2026' },
  })
  expect(deleted.body).toMatchObject({ path: 'Work/2026', deleted: true })
  const { body } = await client.call(operations.listMailboxes, { params })
  expect(body.mailboxes.map(({ path }: { path: string }) => path)).not.toContain('Work/2026')
  await world.webhook(ofJane('mailboxDeleted', ({ path }) => path === 'Work/2026'))

  const webhooks = world.webhooks().filter(({ account }) => account === janeId)
  expect(new Set(webhooks.map(({ eventId }) => eventId)).size).toBe(webhooks.length)
  const updates = webhooks.filter(
    ({ event, data }) => event === 'messageUpdated' && data.id === offer.id,
  )
  expect(updates).toHaveLength(1)
})

test('changes over the API are visible to an IMAP client', async () => {
  const user = world.mail.freshUser()
  await world.register(plainId, user)
  await world.webhook(({ account, event }) => account === plainId && event === 'accountInitialized')
  const imap = await logIn(user)
  try {
    await imap.append('INBOX', plainMessage({ messageId: freshMessageId(), subject: 'keep' }))
    await imap.append('INBOX', plainMessage({ messageId: freshMessageId(), subject: 'drop' }))
    const done = await client.call(operations.deleteMessages, {
      params: { account: plainId },
      query: { path: 'INBOX', force: true },
      body: { search: { subject: 'drop' } },
    })
    expect(done.body).toEqual({ deleted: true })
    await imap.mailboxOpen('INBOX')
    const subjects = (await imap.fetchAll('1:*', { envelope: true })).map(
      ({ envelope }) => envelope?.subject,
    )
    expect(subjects).toEqual(['keep'])
  } finally {
    await imap.logout()
  }
})
