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
    'Lists the ids of blocklists with their numbers of addresses. A blocklist belongs to an account. Blocklists of several accounts with the same id are counted together. Blocklists without addresses are not included.',
  query: Strict(pageQuery),
  responseDescription: 'One page of the blocklists, sorted by list id.',
  response: Type.Object({
    ...pageCounts,
    blocklists: Type.Array(
      Type.Object({
        listId: Text('Id of the blocklist.'),
        count: Int('Number of addresses on the blocklists with this id, of all accounts.'),
      }),
      { description: 'Blocklists of this page, sorted by id.' },
    ),
  }),
})

export const getBlocklist = defineOperation({
  ...blocklist.get,
  id: 'getBlocklist',
  path: '/v1/blocklist/:listId',
  summary: 'List the addresses of a blocklist',
  description:
    'Lists the addresses on the blocklists with this id, of all accounts, sorted from newest to oldest. A blocklist without addresses does not exist (404).',
  query: Strict(pageQuery),
  responseDescription: 'One page of the addresses on the blocklist, newest first.',
  response: Type.Object({
    listId: Text('Id of the blocklist.'),
    ...pageCounts,
    addresses: Type.Array(BlockedAddress, {
      description: 'Addresses on the blocklist that this page contains, newest first.',
    }),
  }),
})

export const addToBlocklist = defineOperation({
  ...kinds.write,
  id: 'addToBlocklist',
  method: 'post',
  path: '/v1/blocklist/:listId',
  summary: 'Add an address to a blocklist',
  description:
    'Adds an email address to the blocklist of an account. The address then receives no messages that the account sends to the list (`listId` of the submission). The first address creates the blocklist. An address that is already on the blocklist keeps its entry.',
  params,
  body: Strict({
    account: described('Id of the account to whose blocklist the address is added.', AccountId),
    recipient: described(
      'Email address that receives no further messages of the mailing list.',
      MailAddress,
    ),
    reason: Type.Optional(
      Text('Reason why the address is on the blocklist, for information. Defaults to `block`.', {
        maxLength: 1024,
        default: 'block',
      }),
    ),
  }),
  responseDescription: 'Confirmation, and whether the address is new on the blocklist.',
  response: Type.Object({
    success: Bool('Always true: a failed request gets an error response.'),
    added: Bool(
      'True if the address is new on the blocklist, false if the address was on the blocklist before.',
    ),
  }),
})

export const removeFromBlocklist = defineOperation({
  ...blocklist.delete,
  id: 'removeFromBlocklist',
  path: '/v1/blocklist/:listId',
  summary: 'Remove an address from a blocklist',
  description:
    'Removes an email address from the blocklists with this id, of all accounts. `deleted` is false if the address is on none of them.',
  query: Strict({
    recipient: Text('Email address to remove from the blocklists.', {
      minLength: 1,
      maxLength: 320,
    }),
  }),
  responseDescription: 'Whether the address was on a blocklist with this id.',
  response: Type.Object({
    deleted: Bool(
      'True if the address was removed, false if the address was on no blocklist with this id.',
    ),
  }),
})
