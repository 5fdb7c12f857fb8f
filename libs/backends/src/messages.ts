export interface MessageFlags {
  uid: number
  flags: string[]
  modseq?: bigint
  /** Gmail labels, where `capabilities.gmail`. */
  labels?: string[]
}

export interface EnvelopeAddress {
  name?: string
  address?: string
}

/** One node of BODYSTRUCTURE. `part` is the IMAP part number, absent at a multipart root. */
export interface BodyPart {
  part?: string
  type: string
  parameters?: Record<string, string>
  id?: string
  encoding?: string
  /** Bytes as transferred. */
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
  /** The header block as it came, when asked for: its first 256 KiB. */
  headers?: Buffer
  /** EMAILID and THREADID (RFC 8474), or X-GM-MSGID and X-GM-THRID of Gmail. */
  emailId?: string
  threadId?: string
  /** The server cannot describe this message: `envelope` and `bodyStructure` say nothing. Headers, when asked for, are there. */
  incomplete?: true
}

export interface FetchOptions {
  headers?: boolean
}

/** The beginning of a part that is wanted: at most so many bytes after decoding. */
export interface PartRequest {
  part: string
  maxBytes: number
}

export interface Download {
  /** Bytes as the server announced them, where it did. */
  size?: number
  /** Of a part: what the message's structure says of it. */
  part?: BodyPart
  /** Decoded from the transfer encoding for parts, as stored for a whole message. Ends the fetch when it is left early. */
  content: AsyncIterable<Uint8Array>
}
