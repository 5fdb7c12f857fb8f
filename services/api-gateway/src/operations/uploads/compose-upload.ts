import {
  fieldError,
  invalid,
  type MessageDetail,
  type MessageUpload,
  type Submission,
} from '@posthorn/contracts'
import {
  type AttachedContent,
  canonicalLines,
  composeMessage,
  parseHeaders,
  refer,
  type Referred,
} from '@posthorn/mime'

/** Whose account it is. */
export interface Owner {
  name: string
  email: string | null
}

/** An upload with all that it refers to. */
export interface Gathered {
  upload: MessageUpload
  owner: Owner
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
  const submission: Submission = {
    ...draft,
    ...(upload.from ? { from: upload.from } : {}),
    ...(headers ? { headers } : {}),
    ...(messageId ? { messageId } : {}),
  }
  // Nobody receives what is stored: the blind copies are the writer's to see.
  return composeMessage(submission, {
    from: senderOf(gathered),
    attached: gathered.attached,
    keepBcc: true,
    ...(references ? { references } : {}),
  })
}

function referred({ upload, original, owner }: Gathered): Referred {
  const { to, cc, bcc, subject, text, html, reference, locale, tz } = upload
  const draft = { to, cc, bcc, subject, text, html }
  const given = Object.fromEntries(
    Object.entries(draft).filter(([, value]) => value !== undefined),
  ) as Referred['draft']
  if (!original || !reference) return { draft: given }
  const own = [upload.from?.address, owner.email].filter((address) => typeof address === 'string')
  const { action = 'reply', inline = false } = reference
  return refer(given, original, {
    action,
    inline,
    own,
    ...(locale === undefined ? {} : { locale }),
    ...(tz === undefined ? {} : { tz }),
  })
}

function senderOf({ upload: { from }, owner: { name, email } }: Gathered) {
  if (from) return from
  if (email === null)
    throw invalid([fieldError('from', 'is required, as the account has no address')])
  return { name, address: email }
}

/** The bytes as they are, but for ends of lines. A reference adds the headers that the message does not have itself. */
function fromRaw(raw: string, { original }: Gathered): ComposedUpload {
  const message = canonicalLines(Buffer.from(raw, 'base64'))
  if (message.length === 0) throw invalid([fieldError('raw', 'must not be empty')])
  const headers = parseHeaders(message)
  const messageId = headers['message-id']?.[0]
  const references =
    original && refer({}, original, { action: 'reply', inline: false, own: [] }).references
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
