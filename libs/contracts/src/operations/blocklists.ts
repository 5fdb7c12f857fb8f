import { Type } from 'typebox'
import { defineOperation, operationKinds, resourceOperations } from '../define.ts'
import { BlockedAddress, ListId } from '../schemas/blocklist.ts'
import {
  AccountId,
  Bool,
  described,
  Int,
  MailAddress,
  pageCounts,
  pageQuery,
  Strict,
  Text,
} from '../schemas/primitives.ts'

const kinds = operationKinds('Blocklist', 'blocklist')
const params = Strict({ listId: ListId })
const blocklist = resourceOperations(kinds, params)

export const listBlocklists = defineOperation({
  ...blocklist.list,
  id: 'listBlocklists',
  path: '/v1/blocklists',
  summary: 'List blocklists',
  description:
    'A list belongs to an account. Lists of several accounts with one id are counted together. Lists without entries are not included.',
  query: Strict(pageQuery),
  response: Type.Object({
    ...pageCounts,
    blocklists: Type.Array(
      Type.Object({ listId: Text('Id of the list.'), count: Int('Number of addresses.') }),
      { description: 'Lists of this page.' },
    ),
  }),
})

export const getBlocklist = defineOperation({
  ...blocklist.get,
  id: 'getBlocklist',
  path: '/v1/blocklist/:listId',
  summary: 'List the addresses of a blocklist',
  description:
    'Entries of all accounts, sorted from newest to oldest. A list without entries does not exist.',
  query: Strict(pageQuery),
  response: Type.Object({
    listId: Text('Id of the list.'),
    ...pageCounts,
    addresses: Type.Array(BlockedAddress, { description: 'Entries of this page.' }),
  }),
})

export const addToBlocklist = defineOperation({
  ...kinds.write,
  id: 'addToBlocklist',
  method: 'post',
  path: '/v1/blocklist/:listId',
  summary: 'Add an address to a blocklist',
  description:
    'The address receives no messages that the account sends to the list. The first address creates the list. An existing entry is not changed.',
  params,
  body: Strict({
    account: described('Account to whose list the address is added.', AccountId),
    recipient: described('Address that receives no messages of the list.', MailAddress),
    reason: Type.Optional(Text('Reason of the entry.', { maxLength: 1024, default: 'block' })),
  }),
  response: Type.Object({
    success: Bool('Always true.'),
    added: Bool('False if the address was on the list before.'),
  }),
})

export const removeFromBlocklist = defineOperation({
  ...blocklist.delete,
  id: 'removeFromBlocklist',
  path: '/v1/blocklist/:listId',
  summary: 'Remove an address from a blocklist',
  description:
    'Removes the address from the lists of all accounts with this id. `deleted` is false if it is on none.',
  query: Strict({ recipient: Text('Address to remove.', { minLength: 1, maxLength: 320 }) }),
  response: Type.Object({ deleted: Bool('False if the address is not on the list.') }),
})
