import type { FetchedMessage } from '../messages.ts'

/** Flags of a message. `unseen` is the absence of `\Seen`; `draft` cannot be changed. */
export interface ApiFlags {
  unseen: boolean
  flagged: boolean
  draft: boolean
}

/**
 * Folder, labels and flags of a message. With placement `labels`, `labels` are ids of all its
 * folders and `folderId` is absent. With placement `folder`, `folderId` is its only folder, and
 * `labels` are category names of at most 255 characters.
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
   * Id of the attachment's part within its message, for at least as long as the message is
   * unchanged: at most 512 visible ASCII characters, empty for a message that is nothing but a
   * file.
   */
  partId: string
  /** Media type of the attachment in lower case. */
  contentType: string
  /**
   * Size of the attachment: bytes after decoding, as the provider reports them. May be approximate.
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

/** Text bodies of a message, decoded. At most `maxTextBytes` UTF-8 bytes each. */
export interface ApiTexts {
  plain?: string
  html?: string
  /** True if a text of the message was cut off. */
  hasMore?: true
}

/**
 * Message as a mail provider describes it. Optional members are absent unless the message has them.
 */
export interface ApiMessage extends MessageState {
  /** Time of arrival of the message. */
  receivedAt: Date
  /**
   * Approximate bytes of the message. Absent if the provider does not report the size with lists.
   */
  size?: number
  /**
   * Envelope of the message. Its Message-ID has angle brackets. Addresses are as sent and may not
   * be SMTP addresses.
   */
  envelope: FetchedMessage['envelope']
  /** Beginning of the message text in at most 255 characters, without HTML entities. */
  preview?: string
  /**
   * Attachments of the message without texts. Inner parts of a `message/rfc822` belong to that
   * part.
   */
  attachments?: ApiAttachment[]
  /**
   * Header fields of the message in order, at most 256 KiB. Names in any case, values decoded or
   * not.
   */
  headers?: [name: string, value: string][]
  texts?: ApiTexts
}

/** Parts of a message to read. Each part may cost a request. */
export interface GetOptions {
  headers?: boolean
  attachments?: boolean
  /** Maximum bytes of each text of the message that is read, at most 10 MiB. Absent: no texts. */
  maxTextBytes?: number
}

/** Download of the content of a message or attachment. */
export interface ApiDownload {
  /** Bytes of `content` of the download. Absent if unknown. */
  size?: number
  contentType: string
  filename?: string
  /**
   * Downloaded bytes, decoded from the transfer encoding. Leaving the iteration early ends the
   * download.
   */
  content: AsyncIterable<Uint8Array>
}
