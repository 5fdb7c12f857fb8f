import type { ApiAttachment, ApiMessage, ApiTexts } from '@posthorn/backends/mail-api'
import type { EncodedText, ReadPart, ReadText } from '@posthorn/message-reader'
import { embedReferencedImages } from '../../messages/image-references.ts'
import type { TextKinds } from '../../messages/message-new.ts'
import type { ReadAttachment } from './read-content.ts'

/** Maximum bytes of each text (plain or HTML) of a message that `MailApi` reads. */
export const maxTextBytes = 10 * 1024 * 1024

/** Converts the texts of a message that were read to the form that the caller requests. */
export function readTexts(
  read: ReadPart,
  { plain, html, hasMore: isCut }: ApiTexts,
  kinds: TextKinds,
): Promise<ReadText> {
  const hasMore = isCut === true
  const needsPlain = kinds.plain || (kinds.webSafe && html === undefined)
  return read('texts', {
    plain: needsPlain ? encode(plain, hasMore) : [],
    html: kinds.html || kinds.webSafe ? encode(html, hasMore) : [],
    wantsPlain: kinds.plain,
    webSafe: kinds.webSafe,
    hasMore,
  })
}

/** Embeds attached images into the HTML of a message. */
export async function withImages<Texts extends Partial<ReadText>>(
  { read, readAttachment }: { read: ReadPart; readAttachment: ReadAttachment },
  texts: Texts,
  { message, ...limits }: { message: ApiMessage; maxTotalBytes: number; maxJsonBytes?: number },
): Promise<Texts> {
  const { attachments = [] } = message
  const { plain, html } = texts
  if (html === undefined) return texts
  const images = attachments.flatMap((part) =>
    part.external ? [] : [{ ...part, size: part.size ?? 0 }],
  )
  const readImages = (selected: readonly ApiAttachment[], maxBytes: number) =>
    Promise.all(selected.map((part) => readAttachment(part, maxBytes)))
  const input = { html, ...(plain !== undefined && { plain }), ...limits }
  return { ...texts, html: await embedReferencedImages({ read, images, readImages }, input) }
}

function encode(text: string | undefined, isTruncated: boolean): EncodedText[] {
  return text === undefined ? [] : [{ bytes: Buffer.from(text), charset: 'utf-8', isTruncated }]
}
