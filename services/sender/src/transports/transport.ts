import type { Credentials } from '@posthorn/contracts'
import type { DeliveryFailure } from '../delivery/delivery-error.ts'

/** Where and how an account's mail goes out. */
export interface Target {
  account: string
  /** Sessions are shared among messages whose target has the same one. */
  key: string
  host: string
  port: number
  /** TLS from the start; otherwise STARTTLS. */
  secure: boolean
  /** Whether the certificate counts, and whether a server without STARTTLS is refused. */
  verifyCertificate: boolean
  minTlsVersion?: string
  ehloName: string
  /** Asked for each new session; undefined: no login. */
  credentials: () => Promise<Credentials | undefined>
}

export interface OutgoingMessage {
  envelope: { from: string; to: string[] }
  mime: Buffer
  target: Target
  /** Resolves once it is on record that the message is being handed over; when it rejects, the message is not handed over. */
  beforeHandover: () => Promise<void>
  /** Ends the attempt, unless the message is being handed over already. */
  signal: AbortSignal
}

/** The server took the message, for some recipients at least. */
export interface Accepted {
  response: string
  serverMessageId?: string
  accepted: string[]
  rejected: { recipient: string; failure: DeliveryFailure }[]
}

/** A way out into the world. Disposing closes what is open and idle. */
export interface Transport extends AsyncDisposable {
  /**
   * Hands one message over.
   *
   * @throws DeliveryError when the other side did not take it; NotAttempted when this side called it off before the handover.
   */
  send(message: OutgoingMessage): Promise<Accepted>
}
