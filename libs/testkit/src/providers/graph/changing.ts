import type { ProviderResponse } from '../requests.ts'
import type { GraphRoutes, MailboxRequest } from './routes.ts'
import { bodyOf, GraphFault, isImmutable } from './json.ts'
import type { FakeFolder, FakeMessage } from './mailbox.ts'
import { readable, viewOptions } from './reading.ts'
import { recipientsIn } from './structured.ts'
import { folderView, messageView, rootId } from './views.ts'

/** Handlers of Graph requests that change messages and folders. */
export const changingRoutes: GraphRoutes = {
  'PATCH /messages/{message-id}': (request) => {
    const message = readable(request)
    const etag = request.headers['if-match']
    if (etag !== undefined && etag !== messageView(message, { immutable: true })['@odata.etag'])
      throw new GraphFault(412, 'ErrorIrresolvableConflict', 'The change key does not match.')
    update(request, message)
    return { body: messageView(message, viewOptions(request)) }
  },
  'DELETE /messages/{message-id}': (request) => {
    const message = readable(request)
    const trash = request.mailbox.folder('deleteditems').id
    if (message.folderId === trash) request.mailbox.remove(message)
    else request.mailbox.move(message, trash)
    return {}
  },
  'POST /messages/{message-id}/permanentDelete': (request) => {
    request.mailbox.remove(readable(request))
    return {}
  },
  'POST /messages/{message-id}/move': (request) => {
    const message = readable(request)
    const target = request.mailbox.folder(String(bodyOf(request)['destinationId']))
    request.mailbox.move(message, target.id)
    return created(request, message)
  },
  'POST /mailFolders': (request) => addFolder(request),
  'POST /mailFolders/{mailFolder-id}/childFolders': (request) =>
    addFolder(request, request.mailbox.folder(request.param('mailFolder_id')).id),
  'PATCH /mailFolders/{mailFolder-id}': (request) => {
    const folder = editable(request)
    const { displayName = folder.name } = bodyOf(request) as { displayName?: string }
    assertFree(request, { name: displayName, parentId: folder.parentId, not: folder })
    folder.name = displayName
    return { body: folderView(request.mailbox, folder) }
  },
  'POST /mailFolders/{mailFolder-id}/move': (request) => {
    const folder = editable(request)
    const target = String(bodyOf(request)['destinationId'])
    if (target === 'msgfolderroot' || target === rootId) delete folder.parentId
    else folder.parentId = request.mailbox.folder(target).id
    return { status: 201, body: folderView(request.mailbox, folder) }
  },
  'DELETE /mailFolders/{mailFolder-id}': (request) => {
    request.mailbox.deleteFolder(request.mailbox.folder(request.param('mailFolder_id')))
    return {}
  },
  'POST /translateExchangeIds': (request) => {
    const { inputIds = [], sourceIdType } = bodyOf(request) as {
      inputIds?: string[]
      sourceIdType?: string
    }
    const value = inputIds.map((sourceId) => {
      const isRest = sourceIdType === 'restId'
      const message = request.mailbox.message(sourceId, !isRest)
      return { sourceId, targetId: isRest ? message.id : message.restId }
    })
    return { body: { value } }
  },
}

export function created(request: MailboxRequest, message: FakeMessage): ProviderResponse {
  return { status: 201, body: messageView(message, { immutable: isImmutable(request) }) }
}

function update({ mailbox, ...request }: MailboxRequest, message: FakeMessage): void {
  const change = bodyOf(request as MailboxRequest)
  const props = Object.keys(change)
  const { isRead, flag, categories, internetMessageId, subject } = change
  if (typeof isRead === 'boolean') message.isRead = isRead
  if (flag) message.flagStatus = (flag as { flagStatus: string }).flagStatus
  if (Array.isArray(categories)) message.categories = categories as string[]
  const draftOnly = props.some(
    (name) => !['isRead', 'flag', 'categories', 'importance'].includes(name),
  )
  if (draftOnly && !message.isDraft)
    throw new GraphFault(400, 'ErrorInvalidPropertySet', 'The property can be set on drafts only.')
  if (typeof internetMessageId === 'string') message.content.internetMessageId = internetMessageId
  if (typeof subject === 'string') message.content.subject = subject
  if (change['toRecipients']) message.content.to = recipientsIn(change['toRecipients'])
  mailbox.touch(message, props)
}

function addFolder(request: MailboxRequest, parentId?: string): ProviderResponse {
  const { displayName = '' } = bodyOf(request) as { displayName?: string }
  assertFree(request, { name: displayName, parentId })
  const folder = request.mailbox.addFolder({
    name: displayName,
    ...(parentId !== undefined && { parentId }),
  })
  return { status: 201, body: folderView(request.mailbox, folder) }
}

function assertFree(
  { mailbox }: MailboxRequest,
  { name, parentId, not }: { name: string; parentId?: string | undefined; not?: FakeFolder },
): void {
  const isTaken = mailbox
    .childrenOf(parentId)
    .some((each) => each !== not && each.name.toLowerCase() === name.toLowerCase())
  if (isTaken)
    throw new GraphFault(
      409,
      'ErrorFolderExists',
      'A folder with the specified name already exists.',
    )
}

function editable({ mailbox, param }: MailboxRequest): FakeFolder {
  const folder = mailbox.folder(param('mailFolder_id'))
  if (folder.wellKnown !== undefined)
    throw new GraphFault(
      403,
      'ErrorAccessDenied',
      'Access is denied. Check credentials and try again.',
    )
  return folder
}
