import type { MessageDetail } from '@posthorn/contracts/schemas/message'
import { AppError } from '@posthorn/errors'
import { type ExportContent, maxAttachmentBytes, tooLargeText } from '../drivers/export-driver.ts'
import { toMailFailure } from './failures/mail-failure.ts'

/**
 * Error of an attachment that turned out to be too large while its message was exported, or that
 * the mail server refused. For a refused attachment, `cause` is the error of the server.
 */
export class ContentError extends Error {
  /** Index of the attachment among the attachments of its message. */
  readonly at: number

  constructor(at: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.at = at
  }
}

/** Exported message, and the contents of its attachments in the order of the attachments. */
export interface ExportedMessage {
  message: MessageDetail
  contents: readonly ExportContent[]
}

/**
 * Maximum bytes of texts and attachments of a message that shares a chunk of the export file with
 * other messages.
 */
const maxSharedBytes = 512 * 1024
/**
 * Maximum characters of a piece of an export line. A multiple of 4, the number of characters in a
 * base64 group.
 */
export const maxPieceLength = 256 * 1024
const maxPieceBytes = (maxPieceLength / 4) * 3

/**
 * True if a message needs separate chunks of the export file: an attachment has to be read while
 * the message is written, or the message is too long to share a chunk.
 */
export function isStreamed({ message, contents }: ExportedMessage): boolean {
  let bytes = Buffer.byteLength(message.text?.plain ?? '')
  bytes += Buffer.byteLength(message.text?.html ?? '')
  for (const content of contents) {
    if ('open' in content) return true
    if ('bytes' in content) bytes += content.bytes.length
  }
  return bytes > maxSharedBytes
}

/**
 * Line of a message in the export file, as JSON with a line feed, in pieces of at most
 * `maxPieceLength` characters. Attachments that are not in memory are read piece by piece.
 *
 * @throws ContentError if an attachment is too large or refused; MailFailure after other failures
 */
export async function* messageLine(exported: ExportedMessage): AsyncGenerator<string> {
  const { message, contents } = exported
  const { attachments, ...rest } = message
  if (!attachments || contents.length === 0) {
    yield* piecesOf(`${JSON.stringify(message)}\n`)
    return
  }
  yield* piecesOf(`${openObject(rest)}"attachments":[`)
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
  else {
    yield `${openObject(attachment)}"content":"`
    if ('bytes' in content) yield* base64Of(content.bytes)
    else yield* base64Pieces(content.open, at)
    yield '"}'
  }
}

/**
 * Divides text into pieces of at most `maxPieceLength` characters. Does not separate the two halves
 * of a surrogate pair.
 */
function* piecesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length;) {
    const last = at + maxPieceLength - 1
    const end = isHighSurrogate(text, last) ? last : last + 1
    yield text.slice(at, end)
    at = end
  }
}

function isHighSurrogate(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800
}

function* base64Of(bytes: Buffer): Generator<string> {
  for (let at = 0; at < bytes.length; at += maxPieceBytes)
    yield bytes.subarray(at, at + maxPieceBytes).toString('base64')
}

/** JSON text of an object without the closing brace, to which members can be added. */
function openObject(value: object): string {
  const json = JSON.stringify(value)
  return json === '{}' ? '{' : `${json.slice(0, -1)},`
}

/**
 * Encodes the content of an attachment as base64. Base64 encodes three bytes as four characters, so
 * up to two bytes of a piece are kept for the next piece.
 */
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
      yield* base64Of(bytes.subarray(0, whole))
    }
  } catch (error) {
    if (error instanceof ContentError) throw error
    if (isOfContent(error)) throw new ContentError(at, error.message, { cause: error })
    throw toMailFailure(error)
  }
  if (rest.length > 0) yield rest.toString('base64')
}

/** Kinds of errors that concern one attachment: the mail server refuses or lacks the attachment. */
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
