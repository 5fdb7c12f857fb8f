import type { FetchedMessage, MailSession } from '@posthorn/backends'
import { parseHeaders } from '@posthorn/mime'
import type { NewMessage } from '../../messages/message-new.ts'
import { undefinedIfMissing } from '../../messages/undefined-if.ts'
import {
  embedImages,
  maxTextBytes,
  type MessageSource,
  readPart,
  readStart,
  readText,
} from './read-text.ts'
import { type EntryMailbox, messageEntry } from './entry.ts'
import { type AttachedPart, parseOutline } from './outline.ts'

/** Builds a new message of the selected mailbox, with functions that read its contents. */
export function newMessage(
  source: MessageSource<keyof MailSession>,
  { message, mailbox }: { message: FetchedMessage; mailbox: EntryMailbox },
): NewMessage<AttachedPart> {
  const { session, read } = source
  const { uid, size } = message
  const outline = parseOutline(message.bodyStructure)
  const outlined = { uid, outline }
  return {
    read,
    entry: messageEntry(message, mailbox, outline),
    size,
    headers: parseHeaders(message.headers ?? Buffer.alloc(0)),
    parts: outline.attachments,
    readTexts: ({ maxBytes = maxTextBytes, ...kinds }) =>
      undefinedIfMissing(readText(source, outlined, { ...kinds, maxBytes })),
    embedImages: (texts) => undefinedIfMissing(embedImages(source, outlined, texts)),
    readPart: ({ part }, maxBytes) =>
      undefinedIfMissing(readPart(session, { uid, part, maxBytes })),
    readStart: (maxBytes) => undefinedIfMissing(readStart(session, uid, maxBytes)),
  }
}
