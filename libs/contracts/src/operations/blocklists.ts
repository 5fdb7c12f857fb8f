import { Type } from 'typebox'
import { defineOperation } from '../define.ts'
import { BlockedAddress, ListId } from '../schemas/blocklist.ts'
import { AccountId, MailAddress, pageCounts, pageQuery, Strict } from '../schemas/primitives.ts'

const params = Strict({ listId: ListId })
const group = 'blocklist'

export const listBlocklists = defineOperation({
  id: 'listBlocklists',
  method: 'get',
  path: '/v1/blocklists',
  tag: 'Blocklist',
  summary: 'List blocklists',
  description: 'Lists without entries are not included.',
  scope: 'api',
  permission: { action: 'read', group },
  query: Strict(pageQuery),
  response: Type.Object({
    ...pageCounts,
    blocklists: Type.Array(Type.Object({ listId: Type.String(), count: Type.Integer() })),
  }),
})

export const getBlocklist = defineOperation({
  id: 'getBlocklist',
  method: 'get',
  path: '/v1/blocklist/:listId',
  tag: 'Blocklist',
  summary: 'List the addresses of a blocklist',
  description: 'Entries are sorted from newest to oldest. A list without entries does not exist.',
  scope: 'api',
  permission: { action: 'read', group },
  params,
  query: Strict(pageQuery),
  response: Type.Object({
    listId: Type.String(),
    ...pageCounts,
    addresses: Type.Array(BlockedAddress),
  }),
})

export const addToBlocklist = defineOperation({
  id: 'addToBlocklist',
  method: 'post',
  path: '/v1/blocklist/:listId',
  tag: 'Blocklist',
  summary: 'Add an address to a blocklist',
  description: 'The first address creates the list. An existing entry is not changed.',
  scope: 'api',
  permission: { action: 'write', group },
  params,
  body: Strict({
    account: AccountId,
    recipient: MailAddress,
    reason: Type.Optional(Type.String({ maxLength: 1024, default: 'block' })),
  }),
  response: Type.Object({ success: Type.Boolean(), added: Type.Boolean() }),
})

export const removeFromBlocklist = defineOperation({
  id: 'removeFromBlocklist',
  method: 'delete',
  path: '/v1/blocklist/:listId',
  tag: 'Blocklist',
  summary: 'Remove an address from a blocklist',
  description: '`deleted` is false if the address is not on the list.',
  scope: 'api',
  permission: { action: 'destructive', group },
  params,
  query: Strict({ recipient: Type.String({ minLength: 1, maxLength: 320 }) }),
  response: Type.Object({ deleted: Type.Boolean() }),
})
