import type { ApiAttachment, ApiMessage, GetOptions } from '@posthorn/backends/mail-api'
import { defined } from '@posthorn/contracts/defined'
import { field, type MimePart, parseMime } from '../imap-script/mime-tree.ts'

type Address = ApiMessage['envelope']['from'][number]

/**
 * Leaf of a model message: MIME part without children. `path` lists an index per level from 0, and
 * is empty for the root.
 */
interface Leaf {
  path: string
  part: MimePart
  embedded: boolean
}

/** Parsed message of a model mailbox. */
export class ModelContent {
  readonly raw: Buffer
  readonly #root: MimePart
  readonly #leaves: Leaf[]

  constructor(raw: Uint8Array) {
    this.raw = Buffer.from(raw)
    this.#root = parseMime(this.raw.toString('latin1'))
    this.#leaves = leavesOf(this.#root)
  }

  header(name: string): string | undefined {
    return field(this.#root.header, name)
  }

  get envelope(): ApiMessage['envelope'] {
    const addresses = (name: string) => parseAddresses(this.header(name))
    const date = this.header('date')
    return defined({
      date: date === undefined ? undefined : new Date(date),
      subject: this.header('subject'),
      messageId: this.header('message-id'),
      inReplyTo: this.header('in-reply-to'),
      from: addresses('from'),
      sender: addresses('sender'),
      replyTo: addresses('reply-to'),
      to: addresses('to'),
      cc: addresses('cc'),
      bcc: addresses('bcc'),
    })
  }

  get headers(): [string, string][] {
    return [...this.#root.header.matchAll(/^([^\r\n:\s]+):[ \t]*(.*(?:\r\n[ \t]+.*)*)/gm)].map(
      ([, name = '', value = '']) => [name, value.replace(/\r\n(?=[ \t])/g, '')],
    )
  }

  /** Finds the content of a model message's attachment with this path. */
  attachment(path: string): { part: MimePart; bytes: Buffer } | undefined {
    const leaf = this.#leaves.find((each) => each.path === path && isAttachment(each))
    return leaf && { part: leaf.part, bytes: decode(leaf.part) }
  }

  attachments(partId: (path: string) => string): ApiAttachment[] {
    return this.#leaves.filter(isAttachment).map(({ path, part, embedded }) =>
      defined({
        partId: partId(path),
        contentType: `${part.type}/${part.subtype}`,
        size: decode(part).length,
        filename: filenameOf(part),
        contentId: field(part.header, 'content-id')?.replace(/^<|>$/g, ''),
        embedded,
      }),
    )
  }

  texts(maxBytes: number): NonNullable<ApiMessage['texts']> {
    const text = (subtype: string) => {
      const leaf = this.#leaves.find(
        (each) => !isAttachment(each) && each.part.type === 'text' && each.part.subtype === subtype,
      )
      return leaf && decode(leaf.part)
    }
    const [plain, html] = [text('plain'), text('html')]
    return defined({
      plain: plain?.subarray(0, maxBytes).toString(),
      html: html?.subarray(0, maxBytes).toString(),
      hasMore: [plain, html].some((each) => (each?.length ?? 0) > maxBytes) || undefined,
    })
  }

  /** Returns the members of a model message that depend only on its content. */
  describe(options: GetOptions, partId: (path: string) => string) {
    const preview = this.texts(4_096).plain?.replace(/\s+/g, ' ').trim().slice(0, 255)
    return defined({
      size: this.raw.length,
      envelope: this.envelope,
      preview,
      headers: options.headers ? this.headers : undefined,
      attachments: options.attachments ? this.attachments(partId) : undefined,
      texts: options.maxTextBytes === undefined ? undefined : this.texts(options.maxTextBytes),
    })
  }
}

/** Returns the source of a model message with another value of a header field. */
export function replaceHeader(raw: Buffer, name: string, value: string): Buffer {
  const text = raw.toString('latin1')
  const without = text.replace(new RegExp(`^${name}:.*\\r\\n(?:[ \\t].*\\r\\n)*`, 'im'), '')
  return Buffer.from(`${name}: ${value}\r\n${without}`, 'latin1')
}

export function filenameOf(part: MimePart): string | undefined {
  const disposition = field(part.header, 'content-disposition') ?? ''
  const match = /filename="?([^";]+)/i.exec(disposition)
  return match?.[1] ?? part.parameters.find(([name]) => name === 'name')?.[1]
}

function leavesOf(root: MimePart): Leaf[] {
  const visit = (part: MimePart, path: string, embedded: boolean): Leaf[] =>
    part.type === 'multipart'
      ? part.parts.flatMap((child, index) =>
          visit(child, path === '' ? `${index}` : `${path}.${index}`, part.subtype === 'related'),
        )
      : [{ path, part, embedded: embedded && field(part.header, 'content-id') !== undefined }]
  return visit(root, '', false)
}

function isAttachment({ part }: Leaf): boolean {
  const disposition = field(part.header, 'content-disposition') ?? ''
  return part.type !== 'text' || /^attachment/i.test(disposition) || filenameOf(part) !== undefined
}

function decode({ header, body }: MimePart): Buffer {
  const encoding = field(header, 'content-transfer-encoding')?.toLowerCase()
  return Buffer.from(body, encoding === 'base64' ? 'base64' : 'latin1')
}

function parseAddresses(value: string | undefined): Address[] {
  return [...(value ?? '').matchAll(/\s*(?:"?([^"<,]*?)"?\s*<([^>]+)>|([^\s,<]+@[^\s,>]+))/g)].map(
    ([, name, bracketed, bare]) => defined({ name: name || undefined, address: bracketed ?? bare }),
  )
}
