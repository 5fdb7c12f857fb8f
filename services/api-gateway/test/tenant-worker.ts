import { type Bus, type CommandHandler, on } from '@posthorn/bus'
import { accountCommands, credentialCommands } from '@posthorn/contracts/commands'
import type { Command } from '@posthorn/contracts/define'
import { shardCount } from '@posthorn/contracts/shards'
import { AppError } from '@posthorn/errors'
import type { Tenant } from './tenant-fields.ts'
import { replyOf } from './tenant-requests.ts'

/** Command that a fake worker or a fake of auth-bridge received. */
export interface ReceivedCommand {
  command: string
  account: string | undefined
  request: object
}

/** Key that encrypts the exports of all tenants. */
export const exportKey = Buffer.alloc(32, 7)

/** Replies of the fake worker that need more than the required members, by command. */
const replies: Record<string, (own: Tenant) => object> = {
  getMessage: ({ message = '', messageId = '', text = '' }) => ({
    id: message,
    flags: ['\\Draft'],
    draft: true,
    messageId,
    from: { address: 'author@mail.example' },
    to: [{ address: 'reader@mail.example' }],
    text: { id: text, encodedSize: {} },
  }),
  uploadMessage: () => ({ path: 'INBOX' }),
  getExportKey: () => ({ key: exportKey.toString('base64') }),
  getLinkSecret: () => ({ linkSecret: 'ab'.repeat(32) }),
  startOAuth2Login: () => ({
    url: 'https://provider.example/?redirect_uri=https%3A%2F%2Fposthorn.example%2Foauth',
  }),
  getOAuth2Token: ({ user = '' }) => ({
    user,
    accessToken: `Access token of ${user}`,
    provider: 'gmail',
    app: 'x',
    scopes: [],
    cached: true,
  }),
}

const draft = ['From: me@mail.example', 'To: you@mail.example', 'Subject: x', '', 'x', '']

/**
 * Plays the workers of all accounts and auth-bridge. A message or mailbox of the other tenant does
 * not exist in other accounts. Replies for the other tenant contain its mark.
 */
export async function serveTenants(
  bus: Bus,
  { other, tenantOf }: { other: Tenant; tenantOf: (account: string) => Tenant },
): Promise<ReceivedCommand[]> {
  const received: ReceivedCommand[] = []
  const isForeign = (text: string) =>
    [other['message'], other['mailbox']].some((id) => text.includes(id ?? 'none'))
  const answer = (command: Command, request: { account?: string }): object => {
    const { account } = request
    received.push({ command: command.name, account, request })
    if (account !== other['account'] && isForeign(JSON.stringify(request)))
      throw new AppError('not-found', 'No such message', { code: 'MessageNotFound' })
    const reply = replies[command.name] ?? (() => replyOf(command.response) as object)
    return reply(account === other['account'] ? other : tenantOf(account ?? ''))
  }
  const handlerOf = (command: Command): CommandHandler =>
    on(command, async (request: unknown) => {
      const response = answer(command, request as { account?: string })
      return command.streams ? { response, body: chunks() } : response
    })
  const handlersOf = (commands: object) =>
    (Object.values(commands) as Command[]).filter((command) => 'request' in command).map(handlerOf)
  const shards = Array.from({ length: shardCount }, (_, shard) => `shard.${shard}`)
  await bus.serve({ queue: 'private', keys: shards, handlers: handlersOf(accountCommands) })
  const handlers = handlersOf(credentialCommands)
  await bus.serve({ queue: 'credentials', keys: ['credentials'], handlers })
  return received
}

async function* chunks(): AsyncGenerator<Uint8Array> {
  yield Buffer.from(draft.join('\r\n'))
}
