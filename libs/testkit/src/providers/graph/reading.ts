import type { ProviderRequest, ProviderResponse } from '../requests.ts'
import { mimeOf } from './content.ts'
import type { GraphRoutes, MailboxRequest } from './routes.ts'
import {
  damagedPage,
  GraphFault,
  isImmutable,
  itemMissing,
  type Json,
  preferences,
} from './json.ts'
import type { FakeFolder, FakeMessage } from './mailbox.ts'
import { filterOf, searchOf } from './search.ts'
import { attachmentView, folderView, messageView } from './views.ts'

const defaultPage = 10
const maxPage = 1_000

/** Handlers of Graph requests that read. */
export const readingRoutes: GraphRoutes = {
  'GET /messages': (request) => listMessages(request),
  'GET /mailFolders/{mailFolder-id}/messages': (request) =>
    listMessages(request, request.mailbox.folder(request.param('mailFolder_id')).id),
  'GET /messages/{message-id}': (request) => {
    const message = readable(request)
    const view = messageView(message, viewOptions(request))
    return { body: { '@odata.context': context(request), ...view } }
  },
  'GET /messages/{message-id}/$value': (request) => ({
    body: mimeOf(readable(request).content),
    headers: { 'content-type': 'text/plain' },
  }),
  'GET /messages/{message-id}/attachments': (request) => {
    const select = request.query.get('$select') ?? undefined
    const { attachments } = readable(request).content
    return page(
      request,
      attachments.map((each) => attachmentView(each, select)),
    )
  },
  'GET /messages/{message-id}/attachments/{attachment-id}': (request) => ({
    body: attachmentView(attachmentOf(request), request.query.get('$select') ?? undefined),
  }),
  'GET /messages/{message-id}/attachments/{attachment-id}/$value': (request) => {
    const attachment = attachmentOf(request)
    if (attachment.type === 'reference') return { status: 405 }
    const type = attachment.type === 'item' ? 'text/plain' : attachment.contentType
    return { body: attachment.bytes, headers: { 'content-type': type } }
  },
  'GET /mailFolders': (request) => listFolders(request),
  'GET /mailFolders/{mailFolder-id}/childFolders': (request) =>
    listFolders(request, request.mailbox.folder(request.param('mailFolder_id')).id),
  'GET /mailFolders/{mailFolder-id}': (request) => {
    const folder = request.mailbox.folder(request.param('mailFolder_id'))
    return { body: select(request, folderView(request.mailbox, folder)) }
  },
  'GET /mailFolders/{mailFolder-id}/messages/delta()': (request) => {
    const { fake, mailbox } = request
    if (fake.cloud === 'china')
      throw new GraphFault(400, 'BadRequest', 'Resource not found for the segment delta.')
    const folder = mailbox.folder(request.param('mailFolder_id'))
    const url = `${fake.publicOrigin}${request.path}`
    return { body: fake.deltaOf(mailbox).page(folder, request, url) }
  },
  // The operation `GET /messages/delta()` is in both API descriptions of Graph, but the service
  // refuses it.
  'GET /messages/delta()': () => {
    const text =
      "Unsupported request: Change tracking is not supported against 'microsoft.graph.message'."
    throw new GraphFault(400, 'BadRequest', text)
  },
  'GET /outlook/masterCategories': (request) =>
    page(request, [{ id: 'c1', displayName: 'Red category', color: 'preset0' }]),
}

/**
 * Finds the message in the path of a Graph request.
 * @throws GraphFault, also if the message is not visible yet
 */
export function readable(request: MailboxRequest): FakeMessage {
  const message = request.mailbox.message(request.param('message_id'), isImmutable(request))
  if (request.mailbox.damaged.has(message.id)) throw damagedPage()
  if (message.hiddenReads > 0) {
    message.hiddenReads -= 1
    throw itemMissing()
  }
  return message
}

export function viewOptions(request: ProviderRequest) {
  return {
    immutable: isImmutable(request),
    select: request.query.get('$select') ?? undefined,
    expand: request.query.get('$expand') ?? undefined,
    plain: /outlook\.body-content-type="text"/.test(preferences(request)),
  }
}

function attachmentOf(request: MailboxRequest) {
  const id = request.param('attachment_id')
  const attachment = readable(request).content.attachments.find((each) => each.id === id)
  if (!attachment)
    throw new GraphFault(404, 'ErrorItemNotFound', 'The specified object was not found.')
  return attachment
}

function listMessages(request: MailboxRequest, folderId?: string): ProviderResponse {
  const { query, mailbox, fake } = request
  const [filter, search, orderby] = [
    query.get('$filter'),
    query.get('$search'),
    query.get('$orderby'),
  ]
  if (search !== null && filter !== null)
    throw new GraphFault(400, 'SearchWithFilter', "The query parameter '$filter' is not supported.")
  if (search !== null && orderby !== null)
    throw new GraphFault(
      400,
      'SearchWithOrderBy',
      "The query parameter '$orderBy' is not supported.",
    )
  if (search !== null && query.has('$skip') && fake.faults.staleSearch)
    throw new GraphFault(
      400,
      'ErrorExecuteSearchStaleData',
      'Please reissue the query with rowOffset = 0.',
    )
  const tests = [
    ...(filter === null ? [] : [filterOf(filter, orderby)]),
    ...(search === null ? [] : [searchOf(search)]),
  ]
  const matches = mailbox.list(folderId).filter((message) => tests.every((test) => test(message)))
  const views = matches.map((message) => messageView(message, viewOptions(request)))
  const [from, to] = boundsOf(request)
  if (matches.slice(from, to).some(({ id }) => mailbox.damaged.has(id))) throw damagedPage()
  return page(request, views, fake.faults.losesNextLinks && filter !== null)
}

function listFolders(request: MailboxRequest, parentId?: string): ProviderResponse {
  const { mailbox, query } = request
  const isShown = ({ hidden }: FakeFolder) =>
    !hidden || query.get('includeHiddenFolders') === 'true'
  const folders = mailbox.childrenOf(parentId).filter(isShown)
  return page(
    request,
    folders.map((folder) => select(request, folderView(mailbox, folder))),
  )
}

/**
 * Start and end of a page within a Graph list. The end is the position after the page's last entry.
 */
function boundsOf({ query, fake }: MailboxRequest): [start: number, end: number] {
  const requested = Number(query.get('$top') ?? defaultPage)
  const start = Number(query.get('$skip') ?? 0)
  return [start, start + Math.min(requested, maxPage, fake.faults.maxListPage)]
}

/** Page of a Graph list, with the link to the next page. */
function page(request: MailboxRequest, all: Json[], withoutLink = false): ProviderResponse {
  const { query, fake, path } = request
  const [start, end] = boundsOf(request)
  const more = new URLSearchParams(query)
  more.set('$skip', String(end))
  more.delete('$count')
  const link = `${fake.publicOrigin}${path}?${String(more).replace(/%24/g, '$').replace(/\+/g, '%20')}`
  return {
    body: {
      '@odata.context': context(request),
      ...(query.get('$count') === 'true' && { '@odata.count': all.length }),
      value: all.slice(start, end),
      ...(end < all.length && !withoutLink && { '@odata.nextLink': link }),
    },
  }
}

function select({ query }: ProviderRequest, view: Json): Json {
  const names = query.get('$select')?.split(',')
  if (!names) return view
  const kept = Object.entries(view).filter(([name]) =>
    ['id', '@odata.type', ...names].includes(name),
  )
  return Object.fromEntries(kept)
}

function context({ fake }: MailboxRequest): string {
  return `${fake.publicOrigin}/v1.0/$metadata#users('me')/messages`
}
