import { Type } from 'typebox'
import * as commands from '../commands/messages.ts'
import { defineOperation, operationKinds } from '../define.ts'
import { MailboxTarget } from '../schemas/mailbox-name.ts'
import {
  AccountId,
  Bool,
  described,
  Int,
  MessageId,
  OneOf,
  pageQuery,
  Strict,
  Text,
  timeoutHeader,
} from '../schemas/primitives.ts'
import { documentStore } from '../schemas/reference.ts'
import { Search } from '../schemas/search.ts'
import { workerErrors } from './worker-errors.ts'

const common = {
  ...operationKinds('Message', 'message').read,
  headers: Type.Object(timeoutHeader),
} as const
const path = described('Mailbox: its path, or a special use such as `\\Sent`.', MailboxTarget)
const cursor = Type.Optional(
  Text(
    'Cursor of the page to read: `nextPageCursor` or `prevPageCursor` of another page of the same list. Takes precedence over `page`. Required for further pages of accounts on a mail API (Gmail API, Microsoft Graph).',
    { maxLength: 1_048_576 },
  ),
)
const maxBytes = Type.Optional(
  Int(
    'Maximum size of the plain text and of the HTML, each, in bytes. Longer texts are cut (`hasMore`). If absent, there is no limit.',
    {
      minimum: 0,
      maximum: 1_073_741_824,
    },
  ),
)
const webSafeHtml = Type.Optional(
  Bool(
    'If true, the only text in the response is HTML without scripts and other active content. The HTML is generated from the plain text if the message has no HTML. Show the HTML in a block element with `overflow: auto` and a `max-height`, so that wide and tall messages stay inside the element. Defaults to false.',
    { default: false },
  ),
)
const notFound = ['InvalidId', 'InvalidMessageId', 'MessageNotFound', ...workerErrors] as const
const pageErrors = [
  'FolderNotFound',
  'InvalidCursorType',
  'InvalidCursorValue',
  'InvalidInput',
  'SearchCursorExpired',
  ...workerErrors,
] as const

export const listMessages = defineOperation({
  ...common,
  id: 'listMessages',
  method: 'get',
  path: '/v1/account/:account/messages',
  summary: 'List messages of a mailbox',
  description:
    'Lists the messages of a mailbox, sorted from newest to oldest. Entries have no texts. Accounts on a mail API (Gmail API, Microsoft Graph) have no page numbers: read the next page with `cursor`.',
  params: Strict({ account: AccountId }),
  query: Strict({ path, cursor, ...pageQuery }),
  responseDescription:
    'One page of the messages, newest first, with cursors of the neighbouring pages.',
  response: commands.listMessages.response,
  errors: pageErrors,
  command: commands.listMessages,
})

export const getMessage = defineOperation({
  ...common,
  id: 'getMessage',
  method: 'get',
  path: '/v1/account/:account/message/:message',
  summary: 'Read a message',
  description:
    'Reads a message with its headers, flags and list of attachments. Texts are included only if `textType` or `webSafeHtml` is set. Download contents of attachments with `getAttachment`.',
  params: Strict({ account: AccountId, message: MessageId }),
  query: Strict({
    maxBytes,
    textType: Type.Optional(
      OneOf(['html', 'plain', '*'], {
        description:
          'Text to include: `plain`, `html`, or `*` for both. If absent, the response contains no text.',
      }),
    ),
    webSafeHtml,
    embedAttachedImages: Type.Optional(
      Bool(
        'If true, replaces references to attached images in the HTML by data URLs. Defaults to the value of `webSafeHtml`.',
      ),
    ),
    preProcessHtml: Type.Optional(
      Bool(
        'If true, scripts and other active content are removed from the HTML that `textType` includes. Images are not embedded. Always true with `webSafeHtml`. Defaults to false.',
        { default: false },
      ),
    ),
    markAsSeen: Type.Optional(
      Bool(
        'If true, the message is marked as read (flag `\\Seen`). Requires the permission to write messages. Defaults to false.',
        {
          default: false,
        },
      ),
    ),
  }),
  responseDescription: 'The message with its headers, flags and attachments.',
  response: commands.getMessage.response,
  errors: notFound,
  command: commands.getMessage,
})

export const getMessageSource = defineOperation({
  ...common,
  id: 'getMessageSource',
  method: 'get',
  path: '/v1/account/:account/message/:message/source',
  summary: 'Download the source of a message',
  description: 'Downloads the source of a message (RFC 5322), as stored on the mail server.',
  params: Strict({ account: AccountId, message: MessageId }),
  responseDescription: 'Source of the message.',
  response: Type.String(),
  produces: 'message/rfc822',
  errors: notFound,
  command: commands.getMessageSource,
})

export const getText = defineOperation({
  ...common,
  id: 'getText',
  method: 'get',
  path: '/v1/account/:account/text/:text',
  summary: 'Read the text of a message',
  description:
    'Reads the plain text and the HTML of a message. `text` in the path is the value of `text.id` of the message.',
  params: Strict({
    account: AccountId,
    text: Text('Id of the texts: the value of `text.id` of a message.', {
      minLength: 1,
      maxLength: 10_240,
    }),
  }),
  query: Strict({
    maxBytes,
    textType: Type.Optional(
      OneOf(['html', 'plain', '*'], {
        default: '*',
        description: 'Text to return: `plain`, `html`, or `*` (default) for both.',
      }),
    ),
    webSafeHtml,
    documentStore,
  }),
  responseDescription: 'Texts of the message.',
  response: commands.getText.response,
  errors: notFound,
  command: commands.getText,
})

export const getAttachment = defineOperation({
  ...common,
  id: 'getAttachment',
  method: 'get',
  path: '/v1/account/:account/attachment/:attachment',
  summary: 'Download an attachment',
  description:
    'Downloads an attachment. The body is the decoded content. The headers `Content-Type` and `Content-Disposition` carry the media type and the file name.',
  params: Strict({
    account: AccountId,
    attachment: Text('Id of the attachment: the value of `attachments[].id` of a message.', {
      minLength: 1,
      maxLength: 2048,
    }),
  }),
  responseDescription: 'Decoded content of the attachment.',
  response: Type.String(),
  produces: 'application/octet-stream',
  errors: notFound,
})

export const searchMessages = defineOperation({
  ...common,
  id: 'searchMessages',
  method: 'post',
  path: '/v1/account/:account/search',
  summary: 'Search messages of a mailbox',
  description:
    'Searches messages, sorted from newest to oldest. `path` is required for IMAP accounts. For accounts on a mail API (Gmail API, Microsoft Graph), all messages are searched without `path`. If `search.emailIds` is present, all other terms of the search are ignored.',
  params: Strict({ account: AccountId }),
  query: Strict({
    path: Type.Optional(path),
    cursor,
    ...pageQuery,
    useOutlookSearch: Type.Optional(
      Bool(
        'If true, Microsoft Graph uses the full-text search index for the search instead of exact filters. Accounts on other mail systems ignore this parameter. Defaults to false.',
      ),
    ),
    documentStore,
  }),
  body: Strict({ search: Search }),
  responseDescription:
    'One page of the matching messages, newest first, with cursors of the neighbouring pages.',
  response: commands.searchMessages.response,
  errors: ['UnsupportedSearchTerm', 'MissingServerExtension', ...pageErrors],
})
