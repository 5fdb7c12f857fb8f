import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { providerFaults } from '@posthorn/testkit/providers'
import type { GraphMessage } from '../../src/provider-types/graph.ts'
import { listAll, mail, signal } from '../mail-api/environment.ts'
import { startGraph } from './environment.ts'

const raw = (subject: string) => Buffer.from(mail(subject))
const getMessage = 'GET /messages/{message-id}'

// Handmade messages in the form of Microsoft Graph.
const samples = JSON.parse(readFileSync(join(import.meta.dirname, 'messages.json'), 'utf8')) as {
  name: string
  message: GraphMessage
}[]

/** Members that the mail API returns for a Graph message. */
function expectedOf(message: GraphMessage) {
  const { from, subject, toRecipients = [], body } = message
  const address = from?.emailAddress?.address
  return {
    id: message.id,
    folderId: message.parentFolderId,
    threadId: message.conversationId,
    unseen: !message.isRead,
    draft: message.isDraft,
    flagged: message.flag?.flagStatus === 'flagged',
    labels: message.categories,
    receivedAt: new Date(message.receivedDateTime ?? ''),
    envelope: {
      from: address ? [{ address }] : [],
      to: toRecipients.map(({ emailAddress }) => ({ address: emailAddress?.address })),
      ...(subject && { subject }),
    },
    texts: body?.contentType === 'html' ? { html: body.content } : {},
  }
}

describe('graph messages', () => {
  test.each(samples.map(({ name, message }) => [name, message] as const))(
    '%s is read with flags, envelope, texts and attachments',
    async (_name, { attachments = [], ...message }) => {
      await using setup = await startGraph()
      const { fake, api } = setup
      fake.server.on(getMessage, providerFaults.replies({ body: message }))
      fake.server.on(
        `${getMessage}/attachments`,
        providerFaults.replies({ body: { value: attachments } }),
      )
      const options = { headers: true, attachments: true, maxTextBytes: 100_000 }
      const read = await api.getMessage(message.id ?? '', options, signal)
      const { texts, ...rest } = expectedOf(message)
      expect(read).toMatchObject(rest)
      expect(read.texts ?? {}).toMatchObject(texts)
      expect(read.texts?.plain ?? '').not.toContain('<html')
      expect(read.attachments?.map(({ partId }) => partId)).toEqual(attachments.map(({ id }) => id))
    },
  )

  test('attachments: inline files only, are listed if the text refers to one', async () => {
    await using setup = await startGraph()
    const { fake, api } = setup
    const [sample] = samples.filter(({ name }) => name === '03-inline-image')
    const { attachments = [], ...message } = sample?.message ?? {}
    fake.server.on(getMessage, providerFaults.replies({ body: message }))
    fake.server.on(
      `${getMessage}/attachments`,
      providerFaults.replies({ body: { value: attachments } }),
    )
    const options = { attachments: true, maxTextBytes: 1_000 }
    const read = await api.getMessage(message.id ?? '', options, signal)
    expect(read.attachments).toMatchObject([
      {
        filename: 'logo.png',
        contentType: 'image/png',
        contentId: 'logo@example.com',
        embedded: true,
      },
    ])
    const query = fake.server.requests(`${getMessage}/attachments`)[0]?.query
    expect(query?.get('$select')).toContain('microsoft.graph.fileAttachment/contentId')
    expect(query?.get('$select')).not.toContain('contentBytes')
  })

  test('attachments: messages are MIME, links cannot be downloaded', async () => {
    await using setup = await startGraph()
    const { fake, api } = setup
    const inner = `Content-Type: message/rfc822\r\n\r\n${mail('inner')}`
    const header = 'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n'
    const source = `${mail('outer', header).replace('hello outer\r\n', '')}--b\r\n${inner}\r\n--b--\r\n`
    const { id, content } = fake.mailbox.deliver({ raw: Buffer.from(source) })
    const link = { id: 'AAkLink=', type: 'reference' as const, name: 'plan.docx', contentType: '' }
    content.attachments.push({ ...link, isInline: false, bytes: Buffer.alloc(0) })
    const { attachments = [] } = await api.getMessage(id, { attachments: true }, signal)
    expect(attachments).toMatchObject([
      { contentType: 'message/rfc822', filename: expect.stringMatching(/\.eml$/) },
      { filename: 'plan.docx', external: true },
    ])
    const item = await api.downloadAttachment({ id, partId: attachments[0]?.partId ?? '' }, signal)
    expect(Buffer.concat(await Array.fromAsync(item.content)).toString()).toContain('hello inner')
    await expect(api.downloadAttachment({ id, partId: link.id }, signal)).rejects.toMatchObject({
      failure: 'unsupported-operation',
    })
  })
})

describe('graph lists', () => {
  test('a full page of a filtered list without a link is continued by time', async () => {
    await using setup = await startGraph()
    const { fake, api } = setup
    fake.faults.losesNextLinks = true
    const delivered: string[] = []
    for (let count = 0; count < 9; count++) {
      // Two Graph messages at the end of the first page have the same time.
      const receivedAt = Date.UTC(2026, 0, 1) + Math.floor((count + 1) / 2) * 60_000
      delivered.unshift(fake.mailbox.deliver({ raw: raw('offer'), receivedAt }).id)
    }
    const ids: string[] = []
    let pageToken: string | undefined
    do {
      const page = { limit: 4, ...(pageToken !== undefined && { pageToken }) }
      const list = await api.listIds({ search: { subject: 'offer' } }, page, signal)
      ids.push(...list.entries.map(({ id }) => id))
      pageToken = list.nextPageToken
    } while (pageToken !== undefined)
    expect(ids).toEqual(delivered)
  })

  test('short pages with links, total from the first one', async () => {
    await using setup = await startGraph()
    const { fake, api } = setup
    fake.faults.maxListPage = 3
    const ids = Array.from({ length: 7 }, (_, n) => fake.mailbox.deliver({ raw: raw(`m${n}`) }).id)
    expect(await listAll(api, {})).toEqual(ids.reverse())
    expect(await api.listIds({}, { limit: 5 }, signal)).toMatchObject({ total: 7 })
  })

  test('search of a thread is sorted here; an expired search is stale-page', async () => {
    await using setup = await startGraph()
    const { fake, api } = setup
    const [old, late] = [1, 2].map((day) =>
      fake.mailbox.deliver({ raw: raw('a'), receivedAt: Date.UTC(2026, 0, day) }),
    )
    if (old && late) late.conversationId = old.conversationId
    expect(await listAll(api, { search: { threadId: old?.conversationId ?? '' } })).toEqual([
      late?.id,
      old?.id,
    ])
    const query = { search: { body: 'hello' }, indexed: true }
    const first = await api.listIds(query, { limit: 1 }, signal)
    fake.faults.staleSearch = true
    await expect(
      api.listIds(query, { limit: 1, pageToken: first.nextPageToken ?? '' }, signal),
    ).rejects.toMatchObject({ failure: 'stale-page', code: 'SearchCursorExpired' })
  })
})

describe('graph folders', () => {
  test('tree: hidden folders, pages and search folders; localized names with a slash', async () => {
    await using setup = await startGraph()
    const { fake, api } = setup
    fake.faults.maxListPage = 2
    const parent = fake.mailbox.addFolder({ name: 'Kunden/Süd' })
    fake.mailbox.addFolder({ name: 'Verborgen', parentId: parent.id, hidden: true })
    fake.mailbox.addFolder({ name: 'Suche', parentId: parent.id, search: true })
    const folders = await api.folders(signal)
    const of = (name: string) => folders.find(({ path }) => path.at(-1) === name)
    expect(of('Posteingang')).toMatchObject({ specialUse: '\\Inbox', editable: false })
    expect(of('Verborgen')).toMatchObject({ path: ['Kunden/Süd', 'Verborgen'], hidden: true })
    expect(of('Suche')).toBeUndefined()
    expect(folders).toHaveLength(8)
  })

  test('archive that is created later, has its special use', async () => {
    await using setup = await startGraph()
    const { fake, api } = setup
    const uses = async () => (await api.folders(signal)).map(({ specialUse }) => specialUse)
    expect(await uses()).not.toContain('\\Archive')
    fake.mailbox.addFolder({ name: 'Archiv', wellKnown: 'archive' })
    const before = fake.server.requests('GET /mailFolders/{mailFolder-id}').length
    expect(await uses()).toContain('\\Archive')
    const requested = fake.server.requests('GET /mailFolders/{mailFolder-id}').slice(before)
    expect(requested.map(({ params }) => params['mailFolder_id'])).not.toContain('inbox')
  })
})

describe('graph subscriptions', () => {
  test('watch: three days, both addresses, the secret; other subscriptions are not listed', async () => {
    await using setup = await startGraph()
    const { fake, api } = setup
    const { id, expiresAt } = await api.watch('secret', signal)
    expect(expiresAt.getTime() - fake.clock.now).toBe(3 * 86_400_000)
    const own = fake.subscriptions.get(id)
    expect(own).toMatchObject({ clientState: 'secret', immutable: true })
    expect(own?.lifecycleNotificationUrl).toMatch(/\/lifecycle$/)
    if (own)
      fake.subscriptions.set('x', { ...own, id: 'x', notificationUrl: 'https://other.example' })
    expect((await api.listWatches(signal))?.map((each) => each.id)).toEqual([id])
    fake.subscriptions.delete('x')
    expect(await fake.notifications.lifecycle(fake.mailbox, 'missed', 2)).toEqual([200, 200])
    fake.mailbox.deliver({ raw: raw('a') })
    expect(await fake.notifications.send()).toEqual([200])
  })

  test('watch: refused for shared mailboxes and without an address', async () => {
    await using setup = await startGraph()
    setup.fake.faults.delegatedShared = true
    const without = setup.create({ deps: { findUrls: undefined as never } })
    for (const api of [setup.api, without])
      await expect(api.watch('secret', signal)).rejects.toMatchObject({
        failure: 'watch-refused',
        code: 'SubscriptionSetupError',
      })
  })
})
