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
    'Reads the latest lines of the protocol log of an account, oldest line first: IMAP commands and responses, or requests to a mail API (Gmail API, Microsoft Graph) with status and time. Credentials are not logged. The log is empty if logging is off for the account. A token that is bound to an account, or has a permissions record, reads only the lines after the reply to a login.',
  scope: 'api',
  permission: { action: 'read', group: 'logs' },
  params: Strict({ account: AccountId }),
  responseDescription:
    'Lines of the protocol log of the account: time, number of the connection, `C:` (client), `S:` (server) or `--` (service), and text.',
  response: Type.String(),
  produces: 'text/plain',
})
