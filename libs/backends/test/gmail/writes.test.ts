import { expect, test } from '@jest/globals'
import { providerFaults } from '@posthorn/testkit/providers'
import { gmailFailures } from '@posthorn/testkit/providers/gmail'
import { mail, signal } from '../mail-api/environment.ts'
import { address, type GmailSetup, startGmail } from './gmail-setup.ts'

function deliver({ mailbox }: GmailSetup, count: number): string[] {
  return Array.from({ length: count }, () => mailbox.deliver(mail('a')).id)
}

test('updateMessages: bulk change refused because of a missing message, changes the others', async () => {
  await using setup = await startGmail()
  const { gmail, mailbox, api } = setup
  const ids = [...deliver(setup, 12), '18c0ffee00000009']
  const update = { flagged: true }
  expect(await api.updateMessages(ids, update, signal)).toEqual({ missing: [] })
  gmail.switches.refusesUnknownIds = true
  expect(await api.updateMessages(ids, { unseen: false }, signal)).toEqual({
    missing: ['18c0ffee00000009'],
  })
  for (const { labels } of mailbox.list) expect([...labels]).toEqual(['INBOX', 'STARRED'])
})

test('updateMessages: labels by id or name, flags as labels; the fixed ones are refused', async () => {
  await using setup = await startGmail()
  const { mailbox, api } = setup
  const [id = ''] = deliver(setup, 1)
  const folder = await api.createFolder({ name: 'a/b & 😀' }, signal)
  await api.updateMessages([id], { addLabels: ['a/b & 😀', 'STARRED'] }, signal)
  expect(await api.getMessage(id, {}, signal)).toMatchObject({ flagged: true, unseen: true })
  expect([...mailbox.getMessage(id).labels]).toContain(folder.id)
  for (const name of ['SENT', 'DRAFT'])
    await expect(api.updateMessages([id], { removeLabels: [name] }, signal)).rejects.toMatchObject({
      failure: 'refused',
      kind: 'provider',
      status: 400,
    })
  expect(setup.gmail.requests('messages.modify')).toHaveLength(1)
})

test('renameFolder: failure between children, is continued by a repeat', async () => {
  await using setup = await startGmail()
  const { gmail, mailbox, api } = setup
  const parent = await api.createFolder({ name: 'old' }, signal)
  for (const name of ['a', 'b', 'c']) await api.createFolder({ name, parentId: parent.id }, signal)
  const refuse = providerFaults.replies(gmailFailures.insufficientScope())
  const remove = gmail.on('labels.patch', providerFaults.after(2, refuse))
  const rename = () => api.renameFolder(parent.id, { name: 'new' }, signal)
  await expect(rename()).rejects.toMatchObject({ failure: 'access-denied' })
  remove()
  await rename()
  const names = [...mailbox.labels.values()].flatMap(({ name, type }) =>
    type === 'user' ? name : [],
  )
  expect(names.sort()).toEqual(['new', 'new/a', 'new/b', 'new/c'])
})

test('renameFolder: name that another label has, changes nothing', async () => {
  await using setup = await startGmail()
  const { gmail, api } = setup
  const one = await api.createFolder({ name: 'one' }, signal)
  await api.createFolder({ name: 'child', parentId: one.id }, signal)
  await api.createFolder({ name: 'TWO/Child' }, signal)
  await expect(api.renameFolder(one.id, { name: 'two' }, signal)).rejects.toMatchObject({
    failure: 'folder-exists',
    kind: 'provider',
    status: 400,
  })
  expect(gmail.requests('labels.patch')).toHaveLength(0)
})

test('folders: 10,000 labels, are listed and one more is refused', async () => {
  await using setup = await startGmail()
  const { mailbox, api } = setup
  for (let index = mailbox.labels.size; index < 10_000; index++) {
    const id = `Label_${index}`
    mailbox.labels.set(id, { id, name: `${'ä'.repeat(100)} ${index}`, type: 'user' })
  }
  expect(await api.folders(signal)).toHaveLength(9_998)
  await expect(api.createFolder({ name: 'more' }, signal)).rejects.toMatchObject({
    failure: 'refused',
    status: 400,
  })
})

test('folders: categories and special uses of the system, flags are no folders', async () => {
  await using setup = await startGmail()
  await setup.api.createFolder({ name: 'a/b/c' }, signal)
  const folders = await setup.api.folders(signal)
  expect(folders.find(({ id }) => id === 'CATEGORY_PERSONAL')).toMatchObject({
    category: 'primary',
    editable: false,
  })
  expect(folders.find(({ specialUse }) => specialUse === '\\Junk')?.id).toBe('SPAM')
  expect(folders.some(({ id }) => id === 'UNREAD' || id === 'STARRED')).toBe(false)
  expect(
    folders
      .filter(({ assignable }) => !assignable)
      .map(({ id }) => id)
      .sort(),
  ).toEqual(['CHAT', 'DRAFT', 'SENT'])
  expect(folders.at(-1)).toMatchObject({ path: ['a', 'b', 'c'], editable: true })
  expect(folders.at(-1)).not.toHaveProperty('parentId')
})

test('appendMessage: labels from folder and flags, time from the Date header', async () => {
  await using setup = await startGmail()
  const { gmail, mailbox, api } = setup
  const content = Buffer.from(mail('a', 'Date: Mon, 05 Jan 2026 10:00:00 +0000\r\n'))
  const target = { folderId: 'SENT', flagged: true, labels: ['IMPORTANT'], receivedAt: new Date(0) }
  const { id } = await api.appendMessage(content, target, signal)
  const { labels, internalDate } = mailbox.getMessage(id)
  expect([...labels].sort()).toEqual(['IMPORTANT', 'SENT', 'STARRED'])
  expect(internalDate).toBe(Date.UTC(2026, 0, 5, 10))
  const large = Buffer.concat([content, Buffer.alloc(9_000_000, 'x')])
  const second = await api.appendMessage(large, { folderId: 'INBOX', unseen: true }, signal)
  expect([...mailbox.getMessage(second.id).labels].sort()).toEqual(['INBOX', 'UNREAD'])
  const tooLarge = Buffer.alloc(52_428_801)
  const inbox = { folderId: 'INBOX' }
  await expect(api.appendMessage(tooLarge, inbox, signal)).rejects.toMatchObject({
    failure: 'too-large',
  })
  expect(gmail.requests('messages.insert').every(({ status }) => Number(status) < 400)).toBe(true)
})

test('appendMessage: flagged draft, is a draft with the flag', async () => {
  await using setup = await startGmail()
  const target = { folderId: 'DRAFT', draft: true, flagged: true }
  const { id } = await setup.api.appendMessage(Buffer.from(mail('a')), target, signal)
  expect(await setup.api.getMessage(id, {}, signal)).toMatchObject({ draft: true, flagged: true })
})

test('moveMessages: out of trash and spam, the labels of the target stay', async () => {
  await using setup = await startGmail()
  const { mailbox, api } = setup
  const [id = ''] = deliver(setup, 1)
  await api.trashMessages([id], signal)
  expect([...mailbox.getMessage(id).labels]).toEqual(['UNREAD', 'TRASH'])
  await api.moveMessages([id], { to: 'INBOX', from: 'TRASH' }, signal)
  expect([...mailbox.getMessage(id).labels]).toEqual(['UNREAD', 'INBOX'])
})

test('watch: one of another client, is stopped and replaced once', async () => {
  await using setup = await startGmail()
  const { gmail, mailbox, api } = setup
  const expiresAt = gmail.clock.now + 1_000
  gmail.notifications.start(mailbox, { topic: 'projects/p/topics/other', expiresAt })
  expect(await api.watch('secret', signal)).toMatchObject({
    expiresAt: new Date(gmail.clock.now + 604_800_000),
  })
  expect(gmail.requests('stop')).toHaveLength(1)
  expect(gmail.requests('watch')).toHaveLength(2)
  expect(JSON.stringify(gmail.requests('watch').map(({ body }) => body))).not.toContain('secret')
  gmail.on('watch', providerFaults.replies(gmailFailures.mailServiceDisabled()))
  await expect(api.watch('', signal)).rejects.toMatchObject({
    failure: 'watch-refused',
    code: 'SubscriptionSetupError',
  })
  expect(gmail.requests('stop')).toHaveLength(2)
})

test('watch: topic missing, is refused and changes are announced by no notification', async () => {
  await using setup = await startGmail()
  const { gmail, api } = setup
  gmail.pubsub.topics.clear()
  await expect(api.watch('', signal)).rejects.toMatchObject({ failure: 'watch-refused' })
  gmail.pubsub.addTopic('projects/p/topics/t')
  await api.watch('', signal)
  deliver(setup, 1)
  expect(gmail.notifications.all.map(({ emailAddress }) => emailAddress)).toEqual([
    address,
    address,
  ])
})

test('updateMessages: connection lost after the request, is repeated without a second effect', async () => {
  await using setup = await startGmail()
  const { gmail, mailbox, api } = setup
  const ids = deliver(setup, 20)
  gmail.on('messages.batchModify', providerFaults.times(1, providerFaults.resets('after')))
  const before = mailbox.records.length
  await api.updateMessages(ids, { unseen: false }, signal)
  expect(mailbox.records.length - before).toBe(20)
})
