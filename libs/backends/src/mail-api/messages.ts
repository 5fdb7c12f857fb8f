import type { FetchedMessage } from '../messages.ts'

/** Flags of a message. `unseen` is the absence of `\Seen`; `draft` cannot be changed. */
export interface ApiFlags {
  unseen: boolean
  flagged: boolean
  draft: boolean
}

/**
 * Position and flags of a message. With placement `labels`, `labels` are ids of all its folders
 * and `folderId` is absent. With placement `folder`, `folderId` is its only folder, and `labels`
 * are category names of at most 255 characters.
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
   * Identifies the part within its message for at least as long as the message is unchanged: at
   * most 512 visible ASCII characters, empty for a message that is nothing but a file.
   */
  partId: string
  /** Media type of the part in lower case. */
  contentType: string
  /** Bytes after decoding, as the provider reports them. May be approximate. */
  size?: number
  filename?: string
  /** Content-ID without angle brackets. */
  contentId?: string
  /** True if the HTML may refer to the part. */
  embedded: boolean
  /** True for a link to a file elsewhere, which cannot be downloaded. */
  external?: true
}

/** Text bodies, decoded. At most `maxTextBytes` UTF-8 bytes each. */
export interface ApiTexts {
  plain?: string
  html?: string
  /** True if a text was cut off. */
  hasMore?: true
}

/** Message as a provider describes it. Optional members are absent unless the message has them. */
export interface ApiMessage extends MessageState {
  /** Time of arrival. */
  receivedAt: Date
  /** Bytes, approximate. Absent if the provider does not report it with lists. */
  size?: number
  /** Message-ID with angle brackets. Addresses are as sent and may not be SMTP addresses. */
  envelope: FetchedMessage['envelope']
  /** Beginning of the text in at most 255 characters, without HTML entities. */
  preview?: string
  /** Attachments without texts. Inner parts of a `message/rfc822` belong to that part. */
  attachments?: ApiAttachment[]
  /** Header fields in order, at most 256 KiB. Names in any case, values decoded or not. */
  headers?: [name: string, value: string][]
  texts?: ApiTexts
}

/** Parts of a message to read. Each may cost a request. */
export interface GetOptions {
  headers?: boolean
  attachments?: boolean
  /** Reads texts up to this number of bytes each, at most 10 MiB. */
  maxTextBytes?: number
}

/** Content of a message or part. */
export interface ApiDownload {
  /** Bytes of `content`. Absent if unknown. */
  size?: number
  contentType: string
  filename?: string
  /** Decoded from the transfer encoding. Leaving the iteration early ends the download. */
  content: AsyncIterable<Uint8Array>
}
