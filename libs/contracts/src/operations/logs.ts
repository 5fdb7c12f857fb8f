import { Type } from 'typebox'
import { defineOperation } from '../define.ts'
import { AccountId, Strict } from '../schemas/primitives.ts'

export const getLogs = defineOperation({
  id: 'getLogs',
  method: 'get',
  path: '/v1/logs/:account',
  tag: 'Logs',
  summary: 'Read the protocol log of an account',
  description:
    'Latest lines, oldest first: IMAP commands and responses, or requests to a mail API with status and time. Tokens that are bound to an account or have a permissions record read the lines from the reply to the login on. Empty if logging is off for the account. Credentials are not logged.',
  scope: 'api',
  permission: { action: 'read', group: 'logs' },
  params: Strict({ account: AccountId }),
  response: Type.String(),
  produces: 'text/plain',
})
