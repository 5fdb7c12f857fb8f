import type { MessageDetail } from '@posthorn/contracts/schemas/message'
import { AppError } from '@posthorn/errors'
import type { ExportContent } from '../drivers/export-driver.ts'
import { MailFailure } from './mail-failure.ts'

/** Maximum bytes of an attachment in an export. Larger attachments have a `contentError`. */
export const maxAttachmentBytes = 50 * 1024 * 1024

export const tooLargeText = 'The attachment is larger than 50 MiB'

/** Attachment that turned out to be too large, or to be missing, while it was written. */
export class ContentError extends Error {
  /** Position of the attachment in the message. */
  readonly at: number

  constructor(at: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.at = at
  }
}

/** Message and the contents of its attachments, in the order of the attachments. */
export interface ExportedMessage {
  message: MessageDetail
  contents: readonly ExportContent[]
}

/** True if a content has to be read while the line is written. */
export function isStreamed({ contents }: ExportedMessage): boolean {
  return contents.some((content) => 'open' in content)
}

/**
 * Line of a message in the file, in pieces: JSON and a line feed. Contents that are not in memory
 * are read piece by piece.
 *
 * @throws ContentError if a content cannot be read for good; MailFailure if a repeat may succeed
 */
export async function* messageLine(exported: ExportedMessage): AsyncGenerator<string> {
  const { message, contents } = exported
  const { attachments, ...rest } = message
  if (!attachments || contents.length === 0) {
    yield `${JSON.stringify(message)}\n`
    return
  }
  yield `${openObject(rest)}"attachments":[`
  for (const [at, attachment] of attachments.entries()) {
    if (at > 0) yield ','
    yield* attachmentJson(attachment, { at, content: contents[at] })
  }
  yield ']}\n'
}

async function* attachmentJson(
  attachment: object,
  { at, content }: { at: number; content: ExportContent | undefined },
): AsyncGenerator<string> {
  if (!content) yield JSON.stringify(attachment)
  else if ('error' in content) yield JSON.stringify({ ...attachment, contentError: content.error })
  else if ('bytes' in content)
    yield `${openObject(attachment)}"content":"${content.bytes.toString('base64')}"}`
  else {
    yield `${openObject(attachment)}"content":"`
    yield* base64Pieces(content.open, at)
    yield '"}'
  }
}

/** JSON of an object without its end, to which members can be added. */
function openObject(value: object): string {
  const json = JSON.stringify(value)
  return json === '{}' ? '{' : `${json.slice(0, -1)},`
}

/** Content as base64. Base64 encodes three bytes as four characters, so bytes are left over. */
async function* base64Pieces(
  open: () => Promise<AsyncIterable<Uint8Array>>,
  at: number,
): AsyncGenerator<string> {
  let rest = Buffer.alloc(0)
  let length = 0
  try {
    for await (const piece of await open()) {
      length += piece.length
      if (length > maxAttachmentBytes) throw new ContentError(at, tooLargeText)
      const bytes = Buffer.concat([rest, piece])
      const whole = bytes.length - (bytes.length % 3)
      rest = bytes.subarray(whole)
      if (whole > 0) yield bytes.subarray(0, whole).toString('base64')
    }
  } catch (error) {
    if (error instanceof ContentError) throw error
    if (isOfContent(error)) throw new ContentError(at, error.message, { cause: error })
    throw new MailFailure(error)
  }
  if (rest.length > 0) yield rest.toString('base64')
}

/** Kinds of errors that a repeat does not change: the server refuses or lacks the content. */
const contentKinds: ReadonlySet<string> = new Set([
  'not-found',
  'rejected',
  'unprocessable',
  'too-large',
  'forbidden',
  'invalid',
])

function isOfContent(error: unknown): error is AppError {
  return error instanceof AppError && contentKinds.has(error.kind)
}
