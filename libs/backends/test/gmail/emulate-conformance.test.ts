import type { MailApiEnvironment } from '../mail-api/environment.ts'
import { testMailApi } from '../mail-api/suite.ts'
import { startEmulate } from './emulate-server.ts'
import { createUnlimited } from './gmail-setup.ts'

const address = 'jane@mail.example'

// Runs the conformance suite of mail APIs, whose cases contain the assertions, against `emulate`, a
// third-party server of the Gmail API, instead of the fake of this repository.

async function emulateEnvironment(): Promise<MailApiEnvironment> {
  const server = await startEmulate(address)
  const { token } = server
  const { createApi, caller } = createUnlimited(server.origin)
  const api = createApi(
    {
      provider: 'gmail',
      account: 'a',
      application: 'app',
      login: async () => ({ user: address, accessToken: token }),
    },
    { priority: 'caller', timeoutMs: 5_000 },
  )
  const call = (path: string, body: object) =>
    fetch(`${server.origin}/gmail/v1/users/me${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  return {
    api,
    ids: ['18c0ffee00000001', '1'],
    passesStatus: true,
    deliver: async (raw, { folderId = 'INBOX', unseen = true, receivedAt, id } = {}) => {
      if (id !== undefined) throw new Error('ids are those of the server')
      const dated = receivedAt ? `Date: ${receivedAt.toUTCString()}\r\n${raw}` : raw
      const labelIds = [folderId, ...(unseen ? ['UNREAD'] : [])]
      const source = Buffer.from(dated).toString('base64url')
      const query = receivedAt ? '?internalDateSource=dateHeader' : ''
      const response = await call(`/messages${query}`, { raw: source, labelIds })
      const { id: created = '' } = (await response.json()) as { id?: string }
      return created
    },
    hide: () => unsupported('messages that are not readable yet'),
    expireCursors: () => unsupported('a history that expires'),
    removeWatches: () => unsupported('watches that end'),
    failNext: () => unsupported('faults'),
    sent: () => server.sent,
    async [Symbol.asyncDispose]() {
      caller[Symbol.dispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

function unsupported(subject: string): never {
  throw new Error(`not supported: ${subject}`)
}

const noFaults = 'the server has no faults'

testMailApi('Gmail API over emulate', emulateEnvironment, {
  'getMessage: ids of all forms, returns the message': 'ids cannot be chosen',
  'getMessage: message not yet readable, is missing until it is': noFaults,
  'listIds and listMessages: pages newest first, without gaps or repetitions':
    'an unknown label is an empty list instead of 400',
  'listIds: search terms, all of them apply': 'a subject in quotes matches nothing',
  'folders: create, rename with children, delete':
    'a name in use is 400 failedPrecondition instead of 409',
  'changes: expired cursor, fails with stale-cursor, a full round repairs the index':
    'the history never expires',
  'renewWatch: watch that the provider removed, fails with watch-missing': noFaults,
  'sending: too large or without recipients, fails and sends nothing':
    'a message without recipients is accepted',
  'calls: rate-limited, reported with kind and code': noFaults,
  'calls: token-rejected, reported with kind and code': noFaults,
  'calls: access-denied, reported with kind and code': noFaults,
  'calls: mailbox-disabled, reported with kind and code': noFaults,
  'calls: unavailable, reported with kind and code': noFaults,
})
