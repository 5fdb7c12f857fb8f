import { expect } from '@jest/globals'
import type { MessageQuery } from '../../src/mail-api/index.ts'
import {
  type CreateEnvironment,
  type DefineCase,
  folderOf,
  listAll,
  mail,
  signal,
} from './environment.ts'

const alternative = `MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n`
const parts = `--b\r\nContent-Type: text/plain\r\n\r\ntext\r\n--b\r\nContent-Type: text/html\r\n\r\n<p>text</p>\r\n--b\r\nContent-Type: application/pdf; name=a.pdf\r\nContent-Disposition: attachment; filename=a.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from('content').toString('base64')}\r\n--b--\r\n`
const withFile = mail('files', alternative).replace('hello files\r\n', parts)

export function readingCases(create: CreateEnvironment, test: DefineCase): void {
  test('profile: contains the address', async () => {
    await using environment = await create()
    expect((await environment.api.profile(signal)).address).toContain('@')
  })

  test('getMessage: ids of all forms, returns the message', async () => {
    await using environment = await create()
    const { api, ids } = environment
    for (const id of ids) {
      expect(await environment.deliver(mail('x'), { id })).toBe(id)
      expect(await api.getMessage(id, {}, signal)).toMatchObject({ id, unseen: true })
      const source = await api.downloadSource(id, signal)
      expect(Buffer.concat(await Array.fromAsync(source.content)).toString()).toContain('hello x')
      await api.updateMessages([id], { flagged: true }, signal)
    }
    expect((await api.getMessages(ids, {}, signal)).map(({ id }) => id)).toEqual(ids)
    expect((await api.getMessages(ids, {}, signal)).every(({ flagged }) => flagged)).toBe(true)
    expect(await listAll(api, {})).toEqual([...ids].reverse())
  })

  test('getMessage: returns envelope, texts, headers and attachments as requested', async () => {
    await using environment = await create()
    const { api } = environment
    const id = await environment.deliver(withFile)
    const brief = await api.getMessage(id, {}, signal)
    expect(brief).toMatchObject({
      id,
      unseen: true,
      flagged: false,
      draft: false,
      envelope: {
        subject: 'files',
        messageId: '<files@mail.example>',
        from: [{ name: 'Ann', address: 'ann@mail.example' }],
        to: [{ address: 'bob@mail.example' }],
      },
    })
    expect(brief.receivedAt.getTime()).toBeGreaterThan(0)
    expect(brief).not.toHaveProperty('texts')
    const options = { headers: true, attachments: true, maxTextBytes: 4 }
    const detail = await api.getMessage(id, options, signal)
    expect(detail.texts).toEqual({ plain: 'text', html: '<p>t', hasMore: true })
    expect(detail.headers?.map(([name]) => name.toLowerCase())).toContain('message-id')
    expect(detail.attachments).toMatchObject([
      { contentType: 'application/pdf', filename: 'a.pdf', embedded: false },
    ])
  })

  test('downloadAttachment: a part, returns the decoded bytes', async () => {
    await using environment = await create()
    const { api } = environment
    const id = await environment.deliver(withFile)
    const { attachments = [] } = await api.getMessage(id, { attachments: true }, signal)
    const { partId = '' } = attachments[0] ?? {}
    for (let time = 0; time < 2; time++) {
      const download = await api.downloadAttachment({ id, partId }, signal)
      expect(download).toMatchObject({ contentType: 'application/pdf', filename: 'a.pdf' })
      expect(Buffer.concat(await Array.fromAsync(download.content)).toString()).toBe('content')
    }
    await expect(api.downloadAttachment({ id, partId: '77' }, signal)).rejects.toMatchObject({
      failure: 'part-missing',
      kind: 'not-found',
      code: 'MessageNotFound',
    })
  })

  test('missing messages: reported as message-missing, left out of getMessages', async () => {
    await using environment = await create()
    const { api, ids } = environment
    const here = await environment.deliver(mail('here'))
    const missing = { failure: 'message-missing', kind: 'not-found', code: 'MessageNotFound' }
    for (const id of [...ids, '1', 'é', '../x', 'x'.repeat(300)]) {
      await expect(api.getMessage(id, {}, signal)).rejects.toMatchObject(missing)
      await expect(api.downloadSource(id, signal)).rejects.toMatchObject(missing)
    }
    const some = await api.getMessages([...ids, here], {}, signal)
    expect(some.map(({ id }) => id)).toEqual([here])
    expect(await api.getMessages([], {}, signal)).toEqual([])
  })

  test('getMessage: message not yet readable, is missing until it is', async () => {
    await using environment = await create()
    const { api } = environment
    const id = await environment.deliver(mail('early'))
    environment.hide(id, 2)
    await expect(api.getMessage(id, {}, signal)).rejects.toMatchObject({
      failure: 'message-missing',
    })
    expect(await api.getMessages([id], {}, signal)).toEqual([])
    expect(await api.getMessage(id, {}, signal)).toMatchObject({ id })
  })

  test('listIds and listMessages: pages newest first, without gaps or repetitions', async () => {
    await using environment = await create()
    const { api } = environment
    const inbox = await folderOf(api, '\\Inbox')
    const delivered: string[] = []
    for (let index = 0; index < 7; index++)
      delivered.unshift(
        await environment.deliver(mail(`m${index}`), {
          receivedAt: new Date(Date.UTC(2026, 0, 1 + index)),
        }),
      )
    for (const query of [{}, { folderId: inbox.id }]) {
      expect(await readPages((page) => api.listIds(query, page, signal))).toEqual(delivered)
      expect(await readPages((page) => api.listMessages(query, page, signal))).toEqual(delivered)
    }
    const { entries } = await api.listMessages({}, { limit: 1 }, signal)
    expect(entries).toMatchObject([{ envelope: { subject: 'm6' }, unseen: true }])
    const sent = await folderOf(api, '\\Sent')
    const empty = await api.listIds({ folderId: sent.id }, { limit: 10 }, signal)
    expect(empty.entries).toEqual([])
    expect(empty).not.toHaveProperty('nextPageToken')
    const missing = api.listIds({ folderId: 'Label_404' }, { limit: 10 }, signal)
    await expect(missing).rejects.toMatchObject({ failure: 'folder-missing' })
  })

  test('listIds: search terms, all of them apply', async () => {
    await using environment = await create()
    const { api } = environment
    const day = (date: number) => new Date(Date.UTC(2026, 0, date))
    const old = await environment.deliver(mail('report'), { receivedAt: day(1) })
    const seen = await environment.deliver(mail('offer'), { receivedAt: day(5), unseen: false })
    await api.updateMessages([seen], { flagged: true }, signal)
    const find = (search: NonNullable<MessageQuery['search']>) => listAll(api, { search })
    expect(await find({})).toEqual([seen, old])
    expect(await find({ unseen: true })).toEqual([old])
    expect(await find({ seen: true, flagged: true })).toEqual([seen])
    expect(await find({ subject: 'report' })).toEqual([old])
    expect(await find({ subject: 'report', unseen: false })).toEqual([])
    expect(await find({ from: 'ann@mail.example' })).toEqual([seen, old])
    expect(await find({ since: day(3) })).toEqual([seen])
    expect(await find({ before: day(3) })).toEqual([old])
    expect(await find({ header: { 'Message-ID': '<offer@mail.example>' } })).toEqual([seen])
    expect(await find({ emailIds: [old] })).toEqual([old])
    for (const search of [
      { uid: '1' },
      { seq: '1' },
      { modseq: 1n },
      { answered: true },
      { deleted: false },
      { header: { 'X-Other': true as const } },
    ])
      await expect(find(search)).rejects.toMatchObject({
        failure: 'unsupported-term',
        code: 'UnsupportedSearchTerm',
      })
  })
}

/** Reads all pages of a list of the mail API, two entries per page. */
async function readPages(
  read: (page: { limit: number; pageToken?: string }) => Promise<{
    entries: { id: string }[]
    nextPageToken?: string
  }>,
): Promise<string[]> {
  const ids: string[] = []
  let page: { limit: number; pageToken?: string } = { limit: 2 }
  for (;;) {
    const { entries, nextPageToken } = await read(page)
    expect(entries.length).toBeLessThanOrEqual(2)
    ids.push(...entries.map(({ id }) => id))
    if (nextPageToken === undefined) return ids
    page = { limit: 2, pageToken: nextPageToken }
  }
}
