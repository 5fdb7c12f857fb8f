import { Type } from 'typebox'
import { defineOperation } from '../define.ts'
import { AccountId, Strict } from '../schemas/primitives.ts'

/** The last lines of an account's protocol log, oldest first; no line where `logs` is off. Credentials are never in it. */
export const getLogs = defineOperation({
  id: 'getLogs',
  method: 'get',
  path: '/v1/logs/:account',
  tag: 'Logs',
  summary: 'Read the protocol log of an account',
  scope: 'api',
  permission: { action: 'read', group: 'logs' },
  params: Strict({ account: AccountId }),
  response: Type.String(),
  produces: 'text/plain',
})
