import { afterAll, describe, expect, test } from '@jest/globals'
import {
  AuthenticationHandler,
  BatchRequestContent,
  BatchResponseContent,
  Client,
  type Context,
  FileUpload,
  LargeFileUploadTask,
  type Middleware,
  PageIterator,
  RetryHandler,
  RetryHandlerOptions,
} from '@microsoft/microsoft-graph-client'
import type * as Official from '@microsoft/microsoft-graph-types'
import type * as Own from '@posthorn/backends/graph-types'
import { startGraphFake } from '../src/providers/graph/index.ts'

// Tests in which Microsoft's official client drives the Graph fake. They show that the fake behaves
// like the service for a third-party client.

const fake = await startGraphFake({ mailboxes: ['ann@mail.example', 'bob@mail.example'] })
afterAll(async () => fake[Symbol.asyncDispose]())

/** HTTP transport of the official Graph client that sends requests for the service to the fake. */
class FakeTransport implements Middleware {
  async execute(context: Context): Promise<void> {
    const { request, options } = context
    const url = new URL(typeof request === 'string' ? request : request.url)
    const origin = fake.origins[url.origin] ?? url.origin
    const target = `${origin}${url.pathname}${url.search}`
    context.response = await fetch(target, options)
  }
}

function createClient(): Client {
  const auth = new AuthenticationHandler({ getAccessToken: async () => 'token' })
  const retry = new RetryHandler(new RetryHandlerOptions(0, 3))
  auth.setNext(retry)
  retry.setNext(new FakeTransport() as unknown as Parameters<typeof retry.setNext>[0])
  return Client.initWithMiddleware({ middleware: auth })
}

const client = createClient()
const immutable = { prefer: 'IdType="ImmutableId"' }
const raw = (subject: string) =>
  Buffer.from(
    `From: Ann <ann@mail.example>\r\nTo: bob@mail.example\r\nSubject: ${subject}\r\n\r\nhello\r\n`,
  )

describe('Graph fake, driven by the official client', () => {
  test('page iterator: reads all messages of all pages', async () => {
    for (let count = 0; count < 23; count++) fake.mailbox.deliver({ raw: raw(`m${count}`) })
    const first = (await client.api('/me/messages').select('subject').get()) as { value: [] }
    expect(first.value).toHaveLength(10)
    const subjects: string[] = []
    const iterator = new PageIterator(client, first, ({ subject }: Official.Message) => {
      subjects.push(subject ?? '')
      return true
    })
    await iterator.iterate()
    expect(subjects).toEqual(Array.from({ length: 23 }, (_, n) => `m${22 - n}`))
  })

  test('delta: iterates to the delta link, then reads changes', async () => {
    const inbox = fake.mailbox.folder('inbox')
    const url = `/me/mailFolders/${inbox.id}/messages/delta`
    const size = { prefer: 'IdType="ImmutableId", odata.maxpagesize=7' }
    const first = (await client.api(url).headers(size).get()) as { value: [] }
    const options = { headers: size }
    const ids: string[] = []
    const iterator = new PageIterator(
      client,
      first,
      ({ id }: Official.Message) => ids.push(id ?? '') > 0,
      options,
    )
    await iterator.iterate()
    expect(ids).toHaveLength(fake.mailbox.list(inbox.id).length)
    const { id } = fake.mailbox.deliver({ raw: raw('new') })
    const link = iterator.getDeltaLink() ?? ''
    const next = (await client.api(link).headers(size).get()) as { value: Official.Message[] }
    expect(next.value.map((each) => each.id)).toEqual([id])
  })

  test('batch: parts have their own results, in any order', async () => {
    const { id } = fake.mailbox.deliver({ raw: raw('batch') })
    const url = 'https://graph.microsoft.com/me/messages'
    const content = new BatchRequestContent([
      { id: '1', request: new Request(`${url}/${id}`, { headers: immutable }) },
      { id: '2', request: new Request(`${url}/missing`, { headers: immutable }) },
    ])
    const sent = await client.api('/$batch').post(await content.getContent())
    const responses = new BatchResponseContent(sent)
    expect(await responses.getResponseById('1').json()).toMatchObject({ id, subject: 'batch' })
    expect(responses.getResponseById('2').status).toBe(404)
  })

  test('upload: a large file in slices, without a token', async () => {
    const draft = (await client.api('/me/messages').post({ subject: 'large' })) as Official.Message
    const size = 5_000_001
    const item = { attachmentType: 'file', name: 'f.bin', size }
    const session = await LargeFileUploadTask.createUploadSession(
      client,
      `/me/messages/${draft.id}/attachments/createUploadSession`,
      { AttachmentItem: item },
    )
    const bytes = new Uint8Array(size).fill(7)
    const file = new FileUpload(bytes.buffer, 'f.bin', size)
    const task = new LargeFileUploadTask(client, file, session, { rangeSize: 10 * 327_680 })
    expect((await task.upload()).location).toContain('/attachments/')
    const [attachment] = fake.mailbox.message(draft.id ?? '', false).content.attachments
    expect(attachment?.bytes.equals(Buffer.from(bytes))).toBe(true)
    for (const { headers } of fake.server.requests('upload'))
      expect(headers).not.toHaveProperty('authorization')
  })

  test('drafts: created, changed, sent and moved; mutable ids change', async () => {
    const to: Official.Recipient[] = [{ emailAddress: { address: 'bob@mail.example' } }]
    const draft = (await client.api('/me/messages').post({
      subject: 'draft',
      body: { contentType: 'text', content: 'x' },
      toRecipients: to,
    })) as Official.Message
    await client.api(`/me/messages/${draft.id}`).patch({ subject: 'changed' })
    await client.api(`/me/messages/${draft.id}/send`).post('')
    const list = client.api('/me/mailFolders/sentitems/messages')
    const { value } = (await list.get()) as { value: Official.Message[] }
    expect(value).toMatchObject([{ subject: 'changed', isDraft: false }])
    expect(value[0]?.id).not.toBe(draft.id)
    await expect(client.api(`/me/messages/${draft.id}`).get()).rejects.toMatchObject({
      statusCode: 404,
      code: 'ErrorItemNotFound',
    })
  })

  test('retry: a rate limit with Retry-After is obeyed', async () => {
    const busy = {
      status: 429,
      headers: { 'retry-after': '0' },
      body: { error: { code: 'TooManyRequests', message: '' } },
    }
    let left = 1
    fake.server.on('GET /mailFolders', () =>
      left-- > 0 ? { kind: 'reply', response: busy } : undefined,
    )
    const { value } = (await client.api('/me/mailFolders').top(50).get()) as {
      value: Official.MailFolder[]
    }
    expect(value.map(({ displayName }) => displayName)).toContain('Posteingang')
  })
})

/**
 * Type of the official Graph package whose lists are not null: the metadata of Graph has no null
 * for collections.
 */
type Lists<T> = {
  [K in keyof T]: NonNullable<T[K]> extends readonly (infer Item)[] ? Lists<Item>[] : T[K]
}

/** Type test: compiles only if the first type can be assigned to the second. */
type Assignable<From extends To, To> = [From, To] extends [never, never] ? false : true

/**
 * Types of the official Graph package are assignable to the types of this project: our code accepts
 * everything that the package permits.
 */
const compatible: [
  Assignable<Lists<Official.Message>, Own.GraphMessage>,
  Assignable<Lists<Official.MailFolder>, Own.GraphMailFolder>,
  Assignable<Official.FileAttachment, Own.GraphFileAttachment>,
  Assignable<Official.Attachment, Own.GraphAttachment>,
  Assignable<Official.Subscription, Own.GraphSubscription>,
  Assignable<Lists<Official.UploadSession>, Own.GraphUploadSession>,
  Assignable<Official.AttachmentItem, Own.GraphAttachmentItem>,
  Assignable<Official.ChangeNotification, Own.GraphChangeNotification>,
  Assignable<Official.Recipient, Own.GraphRecipient>,
  Assignable<Official.InternetMessageHeader, Own.GraphInternetMessageHeader>,
] = [true, true, true, true, true, true, true, true, true, true]

test('types: those of the official package are assignable to the generated ones', () => {
  expect(compatible).not.toContain(false)
})
