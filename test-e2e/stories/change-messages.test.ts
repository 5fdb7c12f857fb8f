import { afterAll, expect, test } from '@jest/globals'
import { logIn } from './imap-client.ts'
import { uniqueAccount, useSharedWorld } from '../shared-world.ts'
import { freshMessageId, plainMessage, type Webhook } from '../world.ts'

const janeId = uniqueAccount('jane')
const plainId = uniqueAccount('plain')
const world = await useSharedWorld()
afterAll(() => world[Symbol.asyncDispose]())

const { posthorn } = world
const ofJane = (event: string, also: (webhook: Webhook) => boolean) => (webhook: Webhook) =>
  webhook.account === janeId && webhook.event === event && also(webhook)
const account = janeId

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

  // Creates a mailbox through the API.
  const created = await posthorn.createMailbox({ account, body: { path: ['Projects', '2026'] } })
  expect(created).toMatchObject({ path: 'Projects/2026', created: true })
  await world.webhook(ofJane('mailboxNew', ({ path }) => path === 'Projects/2026'))
  const again = posthorn.createMailbox({ account, body: { path: 'Projects/2026' } })
  await expect(again).rejects.toMatchObject({ status: 400, code: 'ALREADYEXISTS', fields: [] })

  // Flags a message and moves it to the new mailbox.
  const offer = await arrive(jane.user, 'The offer')
  const message = { account, message: String(offer.id) }
  const flagged = await posthorn.updateMessage({
    ...message,
    body: { flags: { add: ['\\Flagged', '\\Seen'] } },
  })
  expect(flagged).toMatchObject({ flags: { add: true } })
  const { data: updated } = await world.webhook(
    ofJane('messageUpdated', ({ data }) => data.id === offer.id),
  )
  expect(updated.changes.flags.value).toEqual(['\\Flagged', '\\Seen'])
  const moved = await posthorn.moveMessage({ ...message, body: { path: 'Projects/2026' } })
  expect(moved).toMatchObject({ path: 'Projects/2026', uid: 1 })
  const { id: movedId = '' } = moved
  await world.webhook(ofJane('messageDeleted', ({ data }) => data.id === offer.id))
  const { data: filed } = await world.webhook(
    ofJane('messageNew', ({ data }) => data.id === movedId),
  )
  expect(filed).toMatchObject({ path: 'Projects/2026', subject: 'The offer', flagged: true })
  const gone = posthorn.getMessage(message)
  await expect(gone).rejects.toMatchObject({ status: 404, code: 'MessageNotFound' })

  // Renames the parent of the new mailbox. Message ids stay valid.
  const renamed = await posthorn.updateMailbox({
    account,
    body: { path: 'Projects', newPath: 'Work' },
  })
  expect(renamed).toMatchObject({ path: 'Projects', newPath: 'Work', renamed: true })
  const read = await posthorn.getMessage({ account, message: movedId })
  expect(read).toMatchObject({ path: 'Work/2026', subject: 'The offer' })
  await world.webhook(ofJane('mailboxDeleted', ({ path }) => path === 'Projects/2026'))

  // Updates, moves and deletes the results of a search.
  const news = [await arrive(jane.user, 'News 1'), await arrive(jane.user, 'News 2')]
  const search = { subject: 'News' }
  const marked = await posthorn.updateMessages({
    account,
    path: 'INBOX',
    body: { search, update: { flags: { add: ['\\Seen'] } } },
  })
  expect(marked).toMatchObject({ flags: { add: true } })
  const trashed = await posthorn.deleteMessages({ account, path: 'INBOX', body: { search } })
  expect(trashed).toMatchObject({ deleted: false, moved: { destination: 'Trash' } })
  const idMap = trashed.moved?.idMap ?? []
  expect(idMap.map(([before]) => before)).toEqual(news.map(({ id }) => id))
  const inTrash = idMap[0]?.[1] ?? ''
  await world.webhook(ofJane('messageNew', ({ data }) => data.id === inTrash))
  expect(await posthorn.deleteMessage({ account, message: inTrash })).toEqual({ deleted: true })
  await world.webhook(ofJane('messageDeleted', ({ data }) => data.id === inTrash))

  // Deletes the mailbox through the API.
  const deleted = await posthorn.deleteMailbox({ account, path: 'Work/2026' })
  expect(deleted).toMatchObject({ path: 'Work/2026', deleted: true })
  const { mailboxes } = await posthorn.listMailboxes({ account })
  expect(mailboxes.map(({ path }) => path)).not.toContain('Work/2026')
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
    const done = await posthorn.deleteMessages({
      account: plainId,
      path: 'INBOX',
      force: true,
      body: { search: { subject: 'drop' } },
    })
    expect(done).toEqual({ deleted: true })
    await imap.mailboxOpen('INBOX')
    const subjects = (await imap.fetchAll('1:*', { envelope: true })).map(
      ({ envelope }) => envelope?.subject,
    )
    expect(subjects).toEqual(['keep'])
  } finally {
    await imap.logout()
  }
})
