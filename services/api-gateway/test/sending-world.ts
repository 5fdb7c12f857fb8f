import { on } from '@posthorn/bus'
import { getLinkSecret } from '@posthorn/contracts/commands/credentials'
import {
  getAttachment,
  getDraftVersion,
  getMessage,
  getMessageSource,
} from '@posthorn/contracts/commands/messages'
import type { MessageDetail } from '@posthorn/contracts/schemas/message'
import { shardOf } from '@posthorn/contracts/shards'
import { AppError } from '@posthorn/errors'
import { registration, testServers } from './gateway.ts'

/**
 * Starts an api-gateway with an account that sends messages, and fakes of the account's worker and
 * of auth-bridge.
 */
export async function sendingWorld(env: Record<string, string> = {}) {
  const servers = await testServers()
  const { db } = servers
  const { call, url } = await servers.start(env)
  const mailbox = { original: letter(), draft: draft(), source: draftSource, isAway: 0 }
  const bus = await servers.connectBus()
  await bus.serve({
    queue: 'private',
    keys: [`shard.${shardOf('me')}`],
    handlers: [
      on(getMessage, async ({ message }) => {
        if (mailbox.isAway-- > 0)
          throw new AppError('unavailable', 'not now', { code: 'IMAPUnavailable' })
        if (message === 'draft') return mailbox.draft
        if (message === 'letter') return mailbox.original
        throw new AppError('not-found', 'The message does not exist', { code: 'MessageNotFound' })
      }),
      on(getMessageSource, async () => ({ response: {}, body: once(mailbox.source) })),
      on(getDraftVersion, async () => ({ version: 'version-1' })),
      on(getAttachment, async ({ attachment }) => {
        if (attachment !== 'a1')
          throw new AppError('not-found', 'It does not exist', { code: 'MessageNotFound' })
        const response = { contentType: 'text/csv', filename: 'plans.csv' }
        return { response, body: once('a;b') }
      }),
    ],
  })
  await bus.serve({
    queue: 'credentials',
    keys: ['credentials'],
    handlers: [on(getLinkSecret, async () => ({ linkSecret: 'ab'.repeat(32) }))],
  })
  await register('me', { email: 'me@mail.example' })

  async function register(account: string, change: object) {
    await call('POST', '/v1/account', { body: { ...registration(account), ...change } })
    await db
      .insertInto('accountStates')
      .values({ account, state: 'connected', initializedAt: new Date() })
      .execute()
  }
  const rows = () => db.selectFrom('outbox').selectAll().orderBy('queueId').execute()
  return {
    servers,
    db,
    call,
    url,
    mailbox,
    register,
    rows,
    submit: (body: object, headers: Record<string, string> = {}) =>
      call('POST', '/v1/account/me/submit', { body, headers }),
    /**
     * Returns and deletes the only submission in the outbox. Throws if there is not exactly one
     * submission.
     */
    queued: async () => {
      const [row, ...more] = await rows()
      if (!row || more.length > 0) throw new Error(`${more.length + (row ? 1 : 0)} rows`)
      await db.deleteFrom('outbox').execute()
      return { ...row, text: readable(row.mime) }
    },
    stop: async () => {
      await bus[Symbol.asyncDispose]()
      await servers.stop()
    },
  }
}

/**
 * MIME text of a submission with unfolded headers and without soft line breaks of quoted-printable.
 */
function readable(mime: Buffer | null): string {
  return (
    mime
      ?.toString()
      .replaceAll('=\r\n', '')
      .replaceAll(/\r\n[ \t]/g, ' ') ?? ''
  )
}

async function* once(bytes: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(bytes)
}

function letter(): MessageDetail {
  return {
    id: 'letter',
    flags: [],
    subject: 'Plans {{params.name}}',
    messageId: '<2@elsewhere.example>',
    from: { name: 'Ann', address: 'ann@elsewhere.example' },
    replyTo: [{ address: 'answers@elsewhere.example' }],
    to: [{ address: 'me@mail.example' }, { address: 'bob@elsewhere.example' }],
    cc: [{ name: 'Cy', address: 'cy@elsewhere.example' }],
    date: '2024-05-06T07:08:00.000Z',
    headers: { references: ['<1@elsewhere.example>'] },
    text: { id: 'x', encodedSize: {}, plain: 'first {{params.name}}', html: '<p>first</p>' },
    attachments: [{ id: 'a1', contentType: 'text/csv', encodedSize: 9, filename: 'plans.csv' }],
  }
}

function draft(): MessageDetail {
  return { id: 'draft', flags: ['\\Draft'], draft: true }
}

export const draftSource = [
  'From: Me <me@mail.example>',
  'To: to@elsewhere.example',
  'Bcc: blind@elsewhere.example',
  'Subject: Unsent',
  'Message-ID: <draft@mail.example>',
  'Date: Mon, 01 Jan 2024 00:00:00 +0000',
  '',
  'as it was written',
  '',
].join('\r\n')
