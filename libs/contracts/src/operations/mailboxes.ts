import { Type } from 'typebox'
import { defineOperation } from '../define.ts'
import { MailboxEntry } from '../schemas/message.ts'
import { AccountId, Strict, timeoutHeader } from '../schemas/primitives.ts'
import { workerErrors } from './worker-errors.ts'

/** Answered from the last listing; `counters=true` asks the server for each folder. */
export const listMailboxes = defineOperation({
  id: 'listMailboxes',
  method: 'get',
  path: '/v1/account/:account/mailboxes',
  tag: 'Mailbox',
  summary: 'List mailboxes',
  scope: 'api',
  permission: { action: 'read', group: 'mailbox' },
  params: Strict({ account: AccountId }),
  query: Strict({ counters: Type.Optional(Type.Boolean({ default: false })) }),
  headers: Type.Object(timeoutHeader),
  response: Type.Object({ mailboxes: Type.Array(MailboxEntry) }),
  errors: workerErrors,
})
