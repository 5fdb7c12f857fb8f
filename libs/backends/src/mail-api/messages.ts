import type { FetchedMessage } from '../messages.ts'

/** Flags of a message. `unseen` is true without the flag `\Seen`. `draft` cannot be changed. */
export interface ApiFlags {
  unseen: boolean
  flagged: boolean
  draft: boolean
}

/**
 * Folder, labels and flags of a message. With placement `labels`, `labels` are the ids of all
 * folders of the message and `folderId` is absent. With placement `folder`, `folderId` is the only
 * folder of the message, and `labels` are category names of at most 255 characters.
 */
export interface MessageState extends ApiFlags {
  id: string
  threadId?: string
  folderId?: string
  labels: string[]
}

/** Attachment of a message. */
export interface ApiAttachment {
  /**
   * Part id of the attachment within its message, valid at least until the message changes. At most
   * 512 visible ASCII characters. Empty if the whole message is a file.
   */
  partId: string
  /** Media type of the attachment in lower case. */
  contentType: string
  /**
   * Size of the attachment in bytes after decoding, as reported by the mail provider. May be
   * approximate.
   */
  size?: number
  filename?: string
  /** Content-ID of the attachment without angle brackets. */
  contentId?: string
  /** True if the HTML of the message may refer to the attachment. */
  embedded: boolean
  /** True for an attachment that is a link to a file elsewhere, which cannot be downloaded. */
  external?: true
}

/** Text bodies of a message, decoded. Each text has at most `maxTextBytes` bytes in UTF-8. */
export interface ApiTexts {
  plain?: string
  html?: string
  /** True if a text of the message was cut off. */
  hasMore?: true
}

/**
 * Message as a mail provider describes it. An optional member is absent if the message does not
 * have it.
 */
export interface ApiMessage extends MessageState {
  /** Time of arrival of the message. */
  receivedAt: Date
  /**
   * Approximate size of the message in bytes. Absent if the provider does not report sizes in
   * lists.
   */
  size?: number
  /**
   * Envelope of the message. Its Message-ID has angle brackets. Addresses are taken from the
   * message unchanged, and may not be SMTP addresses.
   */
  envelope: FetchedMessage['envelope']
  /** Beginning of the message text in at most 255 characters, without HTML entities. */
  preview?: string
  /**
   * Attachments of the message. Text parts of the message are no attachments. A `message/rfc822`
   * part is one attachment, without its inner parts.
   */
  attachments?: ApiAttachment[]
  /**
   * Header fields of the message in order, at most 256 KiB. The case of names is not normalised,
   * and values may or may not be decoded.
   */
  headers?: [name: string, value: string][]
  texts?: ApiTexts
}

/**
 * Content of a message that a request to the mail provider also reads, besides the state of the
 * message. Each kind of content may cost a further request.
 */
export interface GetOptions {
  headers?: boolean
  attachments?: boolean
  /** Maximum bytes of each text of the message, at most 10 MiB. If absent, no texts are read. */
  maxTextBytes?: number
}

/** Download of the content of a message or attachment. */
export interface ApiDownload {
  /** Size of the downloaded attachment or message in bytes. Absent if unknown. */
  size?: number
  contentType: string
  filename?: string
  /**
   * Bytes of the downloaded attachment or message, decoded from the transfer encoding. The download
   * ends early if the caller stops reading.
   */
  content: AsyncIterable<Uint8Array>
}
