export interface MessageFlags {
  uid: number
  flags: string[]
  modseq?: bigint
  /** Gmail labels of the message. Absent without `capabilities.gmail`. */
  labels?: string[]
}

export interface EnvelopeAddress {
  name?: string
  address?: string
}

/**
 * MIME part: one node of BODYSTRUCTURE. `part` is the IMAP part number, absent at a multipart root.
 */
export interface BodyPart {
  part?: string
  type: string
  parameters?: Record<string, string>
  id?: string
  encoding?: string
  /** Size of the MIME part in bytes before decoding. */
  size?: number
  disposition?: string
  dispositionParameters?: Record<string, string>
  childNodes?: BodyPart[]
}

export interface FetchedMessage extends MessageFlags {
  size: number
  internalDate: Date
  envelope: {
    date?: Date
    subject?: string
    messageId?: string
    inReplyTo?: string
    from: EnvelopeAddress[]
    sender: EnvelopeAddress[]
    replyTo: EnvelopeAddress[]
    to: EnvelopeAddress[]
    cc: EnvelopeAddress[]
    bcc: EnvelopeAddress[]
  }
  bodyStructure: BodyPart
  /** First 256 KiB of the message header, as sent by the mail server. Absent unless requested. */
  headers?: Buffer
  /**
   * Requested body sections of the message that the mail server returned. Absent unless requested.
   */
  sections?: FetchedSection[]
  /**
   * Message id and thread id: EMAILID and THREADID (RFC 8474), or X-GM-MSGID and X-GM-THRID of
   * Gmail.
   */
  emailId?: string
  threadId?: string
  /**
   * Set if the mail server rejected the query for the envelope and the structure of the message, or
   * if the response could not be read. `envelope` or `bodyStructure` is then empty and does not
   * describe the message. Requested headers are still present.
   */
  incomplete?: true
  /**
   * Names of the members `envelope`, `bodyStructure` or `flags` that exceed the limits of one
   * message. Absent if no member does. Such a member has only the first elements of its lists, and
   * its long texts are cut.
   */
  truncated?: ('envelope' | 'structure' | 'flags')[]
}

export interface FetchOptions {
  headers?: boolean
  /**
   * Body sections to fetch together with the messages, because the messages probably have them. If
   * a message lacks a section, or the server refuses the query, the messages are returned without
   * the section.
   */
  sections?: readonly Section[]
}

/**
 * Body section in a FETCH command (RFC 9051 §6.4.5), and the number of its first bytes to fetch.
 */
export interface Section {
  /** Name of the IMAP body section, such as `1.2` or `TEXT`. */
  key: string
  /** Maximum bytes of the body section to fetch, counted before decoding. */
  maxLength: number
}

/** Fetched body section of a message. The content is complete if it is shorter than requested. */
export interface FetchedSection extends Section {
  bytes: Buffer
}

/** Request for the first `maxBytes` of a MIME part, counted after decoding. */
export interface PartRequest {
  part: string
  maxBytes: number
}

/** Request for the first bytes of several MIME parts of one message. */
export interface MessagePartsRequest {
  uid: number
  /** MIME structure of the message whose parts are requested. */
  structure: BodyPart
  wanted: readonly PartRequest[]
  /**
   * Body sections that were fetched together with the message. Other sections are requested from
   * the server.
   */
  fetched?: readonly FetchedSection[]
}

/**
 * Decoded bytes of requested MIME parts, by part number. Undefined if the mail server does not
 * return the parts.
 */
export type RequestedParts = Map<string, Buffer> | undefined

/** UID and arrival time of a message. */
export interface MessageArrival {
  uid: number
  internalDate: Date
}

export interface Download {
  /**
   * Size of a downloaded message or MIME part in bytes, as announced by the mail server. Absent if
   * unknown.
   */
  size?: number
  /** Structure of the downloaded MIME part. Absent for a whole message. */
  part?: BodyPart
  /**
   * Downloaded bytes of a message or MIME part. A MIME part is decoded from its transfer encoding,
   * a whole message is as stored. Leaving the iteration early ends the fetch.
   */
  content: AsyncIterable<Uint8Array>
}
