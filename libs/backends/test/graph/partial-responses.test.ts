import { describe, expect, test } from '@jest/globals'
import { faultResponse } from '@posthorn/testkit/graph-fake'
import { providerFaults } from '@posthorn/testkit/providers'
import type { MailApi } from '../../src/mail-api/index.ts'
import { mail, signal } from '../mail-api/environment.ts'
import { startGraph } from './environment.ts'

const raw = (subject: string) => Buffer.from(mail(subject))
const getMessage = 'GET /messages/{message-id}'
const unauthorized = faultResponse(401, 'InvalidAuthenticationToken')

async function setUpBatch() {
  const setup = await startGraph()
  const { fake } = setup
  const ids = ['B1=', 'B2=', 'B3=']
  for (const id of ids) fake.mailbox.deliver({ raw: raw(id), id })
  const logins: boolean[] = []
  const api = setup.create({
    access: {
      async login({ fresh }) {
        if (fresh) logins.push(fresh)
        return { user: fake.mailbox.address, accessToken: fresh ? 'new' : 'old' }
      },
    },
  })
  return Object.assign(setup, { ids, logins, api })
}

describe('graph batches', () => {
  test('token rejected in one part: renewed once, and only that part is repeated', async () => {
    await using setup = await setUpBatch()
    const { fake, api, ids, logins } = setup
    fake.server.on(getMessage, providerFaults.times(1, providerFaults.replies(unauthorized)))
    const messages = await api.getMessages(ids, {}, signal)
    expect(messages.map(({ id }) => id)).toEqual(ids)
    expect(logins).toEqual([true])
    const batches = fake.server.requests('POST /$batch')
    expect(batches.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer old',
      'Bearer new',
    ])
    const parts = batches.map(({ body }) => (body as { requests: { url: string }[] }).requests)
    expect(parts.map(({ length }) => length)).toEqual([3, 1])
  })

  test('token rejected in a part a second time: the account has a rejected token', async () => {
    await using setup = await setUpBatch()
    const { fake, api, ids, logins } = setup
    fake.server.on(getMessage, providerFaults.replies(unauthorized))
    await expect(api.getMessages(ids, {}, signal)).rejects.toMatchObject({
      failure: 'token-rejected',
      code: 'OAuthTokenRejected',
    })
    expect(logins).toEqual([true])
    expect(fake.server.requests('POST /$batch')).toHaveLength(2)
  })
})

const folder = { id: 'F=', folderId: 'F=' }
const delta = JSON.stringify({ kind: 'delta', query: '$deltatoken=x' })

describe('graph pages with an error instead of an entry', () => {
  const message = { id: 'A=', conversationId: 'C=', parentFolderId: 'F=' }
  const failed = { error: { code: 'ErrorInternalServerError', message: 'Cannot read the item.' } }
  const reading: [name: string, read: (api: MailApi) => Promise<unknown>, operation?: string][] = [
    ['delta', (api) => api.changes(folder, { cursor: delta, limit: 10 }, signal)],
    ['first delta', (api) => api.changes(folder, { limit: 10 }, signal)],
    ['list', (api) => api.listIds({ folderId: 'F=' }, { limit: 5 }, signal)],
    [
      'search',
      (api) => api.listIds({ search: { body: 'x' }, indexed: true }, { limit: 5 }, signal),
    ],
    ['thread', (api) => api.listIds({ search: { threadId: 'C=' } }, { limit: 5 }, signal)],
    ['attachments', (api) => api.getMessage('A=', { attachments: true }, signal)],
    ['folders', (api) => api.folders(signal), 'GET /mailFolders'],
  ]

  test.each(reading)(
    '%s: fails as unavailable, so that no cursor passes over it',
    async (...row) => {
      const [, read, operation = '*'] = row
      await using setup = await startGraph()
      const link = 'https://graph.microsoft.com/v1.0/me/messages/delta?$deltatoken=y'
      const body = { ...message, value: [message, failed], '@odata.deltaLink': link }
      setup.fake.server.on(operation, providerFaults.deviates({ body }))
      await expect(read(setup.api)).rejects.toMatchObject({ failure: 'unavailable' })
    },
  )

  test('list of the cloud without delta: fails as unavailable', async () => {
    await using setup = await startGraph({ cloud: 'china' })
    setup.fake.server.on('*', providerFaults.deviates({ body: { value: [message, failed] } }))
    await expect(setup.api.changes(folder, { limit: 10 }, signal)).rejects.toMatchObject({
      failure: 'unavailable',
    })
  })
})
