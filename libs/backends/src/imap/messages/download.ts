import { defined } from '@posthorn/contracts/defined'
import { AppError } from '@posthorn/errors'
import type { FetchMessageObject, FetchQueryObject } from 'imapflow'
import type { Download } from '../../mail-session.ts'
import type { ImapConnection, MailboxRef } from '../connection/connection.ts'
import { decodeTransferEncoding, takeBytes } from '../../decode.ts'
import { messageNotFound } from '../connection/errors.ts'
import { findPart, sectionOf, toBodyPart } from './structure.ts'

/**
 * Bytes of a message download that one FETCH requests. Large enough to limit round trips to distant
 * servers, and small enough to limit memory.
 */
const chunkBytes = 2 ** 20
/** Bytes that the first FETCH of a download requests. Most MIME parts are smaller. */
const firstBytes = 128 * 1024

/**
 * Downloads a whole message as the server stores it. Each chunk is requested by a separate FETCH,
 * so that other calls can run in between and no command stays open.
 */
export async function downloadSource(connection: ImapConnection, uid: number): Promise<Download> {
  const chunks = new ChunkReader(connection, uid)
  const { size, bytes } = await chunks.fetch(0, firstBytes)
  return defined({ size, content: chunks.from(bytes, size) })
}

export async function downloadPart(
  connection: ImapConnection,
  uid: number,
  { part, maxBytes = Infinity }: { part: string; maxBytes?: number },
): Promise<Download> {
  const mailbox = connection.selected
  const row = await fetchOne({ connection, mailbox }, uid, { uid: true, bodyStructure: true })
  const root = row.bodyStructure && toBodyPart(row.bodyStructure)
  const bodyPart = root && findPart(root, part)
  if (!bodyPart)
    throw new AppError('not-found', 'Part not found in the message', { code: 'NotFound' })
  const chunks = new ChunkReader(connection, uid, sectionOf(root, part))
  const { bytes } = await chunks.fetch(0, firstBytes)
  const content = decodeTransferEncoding(chunks.from(bytes, bodyPart.size), bodyPart.encoding)
  return defined({
    size: bodyPart.size,
    part: bodyPart,
    content: maxBytes === Infinity ? content : takeBytes(content, maxBytes),
  })
}

class ChunkReader {
  readonly #connection: ImapConnection
  readonly #mailbox: MailboxRef
  readonly #uid: number
  readonly #section: string | undefined

  constructor(connection: ImapConnection, uid: number, section?: string) {
    this.#connection = connection
    this.#mailbox = connection.selected
    this.#uid = uid
    this.#section = section
  }

  /**
   * Content of a download: the first chunk, then further chunks. The content ends with a chunk that
   * is shorter than requested, or at the size that the server reports (RFC 9051 §2.3.4). Servers
   * sometimes report wrong sizes, so a longer or shorter content alone is no error.
   *
   * @throws AppError `unreachable` if the content ends before its size at the end of a full chunk,
   * because the message was probably expunged in between
   */
  async *from(first: Buffer, size: number | undefined): AsyncGenerator<Uint8Array> {
    if (first.length > 0) yield first
    // If the first chunk of a download has more bytes than requested, the IMAP server ignores
    // ranges and has already sent the whole content.
    let more = first.length === firstBytes && first.length !== size
    for (let start = first.length; more;) {
      const { bytes } = await this.fetch(start, chunkBytes)
      if (bytes.length > chunkBytes)
        throw new AppError('unreachable', 'The mail server sent more than requested')
      if (bytes.length === 0 && size !== undefined && start < size)
        throw new AppError('unreachable', 'The mail server did not return the rest of the message')
      if (bytes.length > 0) yield bytes
      start += bytes.length
      more = bytes.length === chunkBytes && start !== size
    }
  }

  /**
   * Fetches one chunk of a download. The first chunk is fetched before the stream starts, so that
   * the download call fails if the message is missing.
   */
  async fetch(
    start: number,
    maxLength: number,
  ): Promise<{ size: number | undefined; bytes: Buffer }> {
    const section = this.#section
    const query =
      section === undefined
        ? { source: { start, maxLength } }
        : { bodyParts: [{ key: section, start, maxLength }] }
    const row = await fetchOne(
      { connection: this.#connection, mailbox: this.#mailbox },
      this.#uid,
      { uid: true, size: true, ...query },
    )
    const bytes = section === undefined ? row.source : row.bodyParts?.get(section.toLowerCase())
    // A FETCH response without content is an error of the download: Dovecot 2.3 returns only the
    // flags and size of a message that was just expunged.
    if (!bytes && section === undefined && start === 0 && row.size !== 0)
      throw new AppError('unreachable', 'The mail server did not return the message')
    return { size: row.size, bytes: bytes || Buffer.alloc(0) }
  }
}

/**
 * Fetches one message by UID. Throws `MessageNotFound` if the mailbox does not contain the message.
 */
export async function fetchOne(
  { connection, mailbox }: { connection: ImapConnection; mailbox: MailboxRef },
  uid: number,
  query: FetchQueryObject,
): Promise<FetchMessageObject> {
  const row = await connection.call(
    (client) => client.fetchOne(String(uid), query, { uid: true }),
    mailbox,
  )
  if (!row || row.uid !== uid) throw messageNotFound()
  return row
}
