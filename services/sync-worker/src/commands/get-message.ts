import type { FetchedMessage, MailSession } from '@posthorn/backends'
import { type CommandHandler, on } from '@posthorn/bus'
import {
  type CommandRequest,
  getMessage,
  matches,
  type MessageDetail,
  SpecialUse,
} from '@posthorn/contracts'
import { isAutoReply, parseHeaders } from '@posthorn/mime'
import { outlineOf, type Outline } from '../messages/body.ts'
import { embedImages } from '../messages/embed-images.ts'
import { messageEntry } from '../messages/entry.ts'
import { maxTextBytes, readText } from '../messages/text.ts'
import type { MailboxRow } from '../store/mailboxes.ts'
import { assertConnected, type CommandDeps, sessionOf, withMailServer } from './account.ts'
import { locateMessage, messageNotFound, openFor } from './mailbox.ts'

type Request = CommandRequest<typeof getMessage>

/** One message with its headers and, when asked for, its text. Marking it as seen comes first, so that its flags say so. */
export function onGetMessage(deps: CommandDeps): CommandHandler {
  return on(getMessage, async (request, context) => {
    const session = sessionOf(deps, request.account)
    assertConnected(session)
    const { row, uid } = await locateMessage(deps.db, request.account, request.message)
    return withMailServer(session, context, async (mail) => {
      await openFor(mail, row, { readOnly: !request.markAsSeen })
      if (request.markAsSeen) await mail.changeFlags(uid, { add: ['\\Seen'] })
      return describe(mail, { row, message: await fetchOne(mail, uid) }, request)
    })
  })
}

async function fetchOne(mail: MailSession, uid: number): Promise<FetchedMessage> {
  const [message] = await Array.fromAsync(mail.fetchMessages([[uid, uid]], { headers: true }))
  if (!message) throw messageNotFound()
  return message
}

async function describe(
  mail: MailSession,
  { row, message }: { row: MailboxRow; message: FetchedMessage },
  request: Request,
): Promise<MessageDetail> {
  const outline = outlineOf(message.bodyStructure)
  const { text, ...entry } = messageEntry(message, row, outline)
  const headers = message.headers ? parseHeaders(message.headers) : {}
  const read = await readWanted(mail, { uid: message.uid, outline }, request)
  return {
    ...entry,
    headers,
    ...(text ? { text: { ...text, ...read } } : {}),
    ...(row.specialUse !== null && matches(SpecialUse, row.specialUse)
      ? { specialUse: row.specialUse }
      : {}),
    ...(isAutoReply(headers) ? { isAutoReply: true } : {}),
  }
}

async function readWanted(
  mail: MailSession,
  { uid, outline }: { uid: number; outline: Outline },
  { textType, webSafeHtml = false, maxBytes, embedAttachedImages = webSafeHtml }: Request,
) {
  const type = textType ?? (webSafeHtml ? '*' : undefined)
  if (!type) return {}
  const read = await readText(
    mail,
    { uid, outline },
    {
      plain: type !== 'html',
      html: type !== 'plain',
      webSafe: webSafeHtml,
      maxBytes: maxBytes ?? maxTextBytes,
    },
  )
  if (!embedAttachedImages || read.html === undefined) return read
  return {
    ...read,
    html: await embedImages(mail, { uid, attachments: outline.attachments }, read.html),
  }
}
