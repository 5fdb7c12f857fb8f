import {
  fieldError,
  validationError,
  type MessageDetail,
  type MessageUpload,
  type MessageContent,
} from '@posthorn/contracts'
import {
  type AttachedContent,
  canonicalLines,
  composeMessage,
  parseHeaders,
  applyReference,
} from '@posthorn/mime'
import { referTo } from '../../composing/refer-to.ts'
import { type Owner, senderOf } from '../../composing/sender.ts'

/** An upload with all that it refers to. */
export interface Gathered {
  upload: MessageUpload
  owner: Owner & { locale: string | null; tz: string | null }
  /** The message that is answered or passed on, where it is there. */
  original: MessageDetail | undefined
  attached: readonly AttachedContent[]
}

export interface ComposedUpload {
  mime: Buffer
  /** Absent where a raw message has none. */
  messageId?: string
}

/** The bytes to store. @throws AppError `invalid` with `fields` */
export async function composeUpload(gathered: Gathered): Promise<ComposedUpload> {
  const { upload } = gathered
  if (upload.raw !== undefined) return fromRaw(upload.raw, gathered)
  const { draft, references } = referred(gathered)
  const { headers, messageId } = upload
  const content: MessageContent = {
    ...draft,
    ...(upload.from ? { from: upload.from } : {}),
    ...(headers ? { headers } : {}),
    ...(messageId ? { messageId } : {}),
  }
  // Nobody receives what is stored: the blind copies are the writer's to see.
  return composeMessage(content, {
    from: senderOf(upload, gathered.owner),
    attached: gathered.attached,
    keepBcc: true,
    ...(references ? { references } : {}),
  })
}

function referred({ upload, original, owner }: Gathered) {
  const { reference, locale, tz, from } = upload
  return referTo(upload, {
    original,
    reference,
    locale: locale ?? owner.locale,
    tz: tz ?? owner.tz,
    own: [from?.address, owner.email],
  })
}

/** The bytes as they are, but for ends of lines. A reference adds the headers that the message does not have itself. */
function fromRaw(raw: string, { original }: Gathered): ComposedUpload {
  const message = canonicalLines(Buffer.from(raw, 'base64'))
  if (message.length === 0) throw validationError([fieldError('raw', 'must not be empty')])
  const headers = parseHeaders(message)
  const messageId = headers['message-id']?.[0]
  const references =
    original && applyReference({}, original, { action: 'reply', inline: false, own: [] }).references
  const added = references
    ? [
        ['In-Reply-To', references.inReplyTo],
        ['References', references.references.join('\r\n ')],
      ].filter(([name = '']) => headers[name.toLowerCase()] === undefined)
    : []
  const head = added.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return {
    mime: head === '' ? message : Buffer.concat([Buffer.from(head), message]),
    ...(messageId === undefined ? {} : { messageId }),
  }
}
