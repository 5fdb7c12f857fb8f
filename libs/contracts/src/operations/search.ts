import { Type } from 'typebox'
import { defineOperation } from '../define.ts'
import { MessagePage } from '../schemas/message.ts'
import { AccountId, pageQuery, Strict, timeoutHeader } from '../schemas/primitives.ts'
import { Search } from '../schemas/search.ts'
import { workerErrors } from './worker-errors.ts'

const headers = Type.Object(timeoutHeader)
const Cursor = Type.Optional(
  Type.String({ maxLength: 1_048_576, description: 'Of an earlier page; wins over `page`' }),
)
const paged = [
  'FolderNotFound',
  'InvalidCursorType',
  'InvalidCursorValue',
  ...workerErrors,
] as const

/**
 * One page of what a search in one folder finds, newest first. IMAP accounts need `path`. `emailIds` is no filter: where it is given, all
 * other terms are ignored.
 */
export const searchMessages = defineOperation({
  id: 'searchMessages',
  method: 'post',
  path: '/v1/account/:account/search',
  tag: 'Message',
  summary: 'Search messages of a mailbox',
  scope: 'api',
  permission: { action: 'read', group: 'message' },
  params: Strict({ account: AccountId }),
  query: Strict({
    path: Type.Optional(Type.String({ minLength: 1, maxLength: 1024, format: 'mailbox-path' })),
    cursor: Cursor,
    ...pageQuery,
    useOutlookSearch: Type.Optional(
      Type.Boolean({ description: 'For accounts on the graph API alone; ignored by others' }),
    ),
    documentStore: Type.Optional(Type.Boolean({ description: 'Has no effect' })),
  }),
  headers,
  body: Strict({ search: Search }),
  response: MessagePage,
  errors: ['UnsupportedSearchTerm', 'MissingServerExtension', ...paged],
})
