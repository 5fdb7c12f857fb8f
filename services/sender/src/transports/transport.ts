import type { Credentials } from '@posthorn/contracts'
import type { DsnRequest, NetworkRouting } from '@posthorn/db'
import type { AttemptFailure } from './stage-errors.ts'

/** Where and how a message goes out. */
export interface Destination {
  /** Sessions are shared among messages whose target has the same one. */
  key: string
  host: string
  port: number
  /** TLS from the start; otherwise STARTTLS. */
  secure: boolean
  /** Whether the certificate counts, and whether a server without STARTTLS is refused. */
  verifyCertificate: boolean
  minTlsVersion?: string
  /** What EHLO says; absent: the name of the address it is said from. */
  ehloName?: string
  /** URL of a proxy to go through. */
  proxy?: string
  /** Addresses of ours to connect from, the best first; none: the system chooses. */
  localAddresses: readonly string[]
  /** The one that was asked for, be it possible or not. */
  requestedLocalAddress?: string
  /** Asked for each new session; undefined: no login. `refused`: those that the server has just refused, and new ones are wanted. */
  credentials: (refused?: Credentials) => Promise<Credentials | undefined>
}

export interface OutgoingMessage {
  envelope: { from: string; to: string[] }
  mime: Buffer
  destination: Destination
  /** Delivery status notifications, where the server knows them. */
  dsn: DsnRequest | undefined
  /** The message is likely to be handed over in a moment: what has to be on record before may be begun. */
  prepareHandover: () => void
  /** Resolves once it is on record that the message is being handed over; when it rejects, the message is not handed over. */
  commitHandover: () => Promise<void>
  /** Ends the attempt, unless the message is being handed over already. */
  signal: AbortSignal
}

/** The server took the message, for some recipients at least. */
export interface SendResult {
  response: string
  serverMessageId?: string
  accepted: string[]
  rejected: RejectedRecipient[]
  /** Absent where it went the ordinary way. */
  routing?: NetworkRouting
}

/** A recipient that the message was not taken for. */
export interface RejectedRecipient {
  recipient: string
  failure: AttemptFailure
}

/** A way out into the world. Disposing closes what is open and idle. */
export interface Transport extends AsyncDisposable {
  /**
   * Hands one message over.
   *
   * @throws DeliveryError when the other side did not take it; NotAttempted when this side called it off before the handover.
   */
  send(message: OutgoingMessage): Promise<SendResult>
}
