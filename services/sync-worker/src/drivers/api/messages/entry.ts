import type { ApiAttachment, ApiMessage } from '@posthorn/backends/mail-api'
import { defined } from '@posthorn/contracts/defined'
import type { AttachmentInfo, MessageEntry } from '@posthorn/contracts/schemas/message'
import type { Settings } from '@posthorn/contracts/settings/settings'
import { encodeApiAttachmentId, encodeApiTextId } from '@posthorn/message-id'
import { parseHeaders } from '@posthorn/mime'
import { envelopeFields } from '../../messages/envelope-fields.ts'
import { flagNames } from '../events/feed-events.ts'
import type { FolderNames } from '../events/folder-names.ts'

/** Converts a message to the message entry of lists, details and events, without its text. Pure. */
export function messageEntry(
  message: ApiMessage,
  names: FolderNames,
  { resolveGmailCategories = false }: Settings,
): MessageEntry & { path: string } {
  const { id, threadId, folderId, envelope, receivedAt, attachments = [] } = message
  const isSet = (flag: boolean) => flag || undefined
  return defined({
    id,
    emailId: id,
    threadId,
    path: names.mailboxOf(folderId).path,
    ...envelopeFields(envelope, receivedAt),
    flags: flagNames(message),
    unseen: isSet(message.unseen),
    flagged: isSet(message.flagged),
    draft: isSet(message.draft),
    size: message.size,
    preview: message.preview,
    labels: names.labelsOf(message.labels),
    category: resolveGmailCategories ? names.categoryOf(placeOf(message)) : undefined,
    messageSpecialUse: names.specialUseOf(placeOf(message)),
    attachments: attachments.length > 0 ? attachments.map(attachmentInfo(id)) : undefined,
    text: { id: encodeApiTextId(id), encodedSize: {} },
  })
}

function placeOf({ folderId, labels }: ApiMessage) {
  return { labels, ...(folderId !== undefined && { folderId }) }
}

/** Describes the attachments of a message. The provider reports sizes after decoding. */
function attachmentInfo(id: string): (attachment: ApiAttachment) => AttachmentInfo {
  return ({ partId, contentType, size = 0, filename, contentId, embedded, external }) =>
    defined({
      id: encodeApiAttachmentId({ id, partId }),
      contentType,
      encodedSize: size,
      embedded,
      // Providers do not report the disposition of an attachment. Embedded attachments are shown
      // within the text, so they count as inline.
      inline: embedded,
      encodedInMessage: !external,
      contentId: contentId === undefined ? undefined : `<${contentId}>`,
      filename,
    })
}

/** Returns the headers of a message by lower-case name. Decodes encoded words in values. */
export function headersOf({ headers = [] }: ApiMessage): Record<string, string[]> {
  const lines = headers.map(([name, value]) => `${name}: ${value.replaceAll(/[\r\n]+/g, ' ')}`)
  return parseHeaders(Buffer.from(lines.join('\r\n')))
}
