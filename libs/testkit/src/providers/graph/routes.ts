import type { VirtualClock } from '../virtual-clock.ts'
import type { ProviderRequest, ProviderResponse } from '../requests.ts'
import type { SentResponse } from '../validator.ts'
import type { FakeConcurrency } from './concurrency.ts'
import type { FakeDelta } from './delta.ts'
import type { GraphFault, Json } from './json.ts'
import type { FakeMailbox, FakeMessage } from './mailbox.ts'

export interface GraphRequest extends ProviderRequest {
  fake: GraphService
}

export interface MailboxRequest extends GraphRequest {
  mailbox: FakeMailbox
  /** Returns the value of a name in the path template of a Graph operation. */
  param: (name: string) => string
}

export type GraphRoutes = Record<string, (request: MailboxRequest) => ProviderResponse>

/** Faults of the Graph fake that do not replace a response. See also `delta`, `notifications`. */
export interface GraphFaults {
  /**
   * True to refuse new Graph subscriptions, as for shared mailboxes and after failed validations.
   */
  refusesSubscriptions: boolean
  /**
   * True if the mailbox is shared by another user with delegated rights. Subscriptions and upload
   * sessions are then refused.
   */
  delegatedShared: boolean
  /** True if Graph lists with a filter have no links to further pages. */
  losesNextLinks: boolean
  /** True if links to further pages of Graph searches have expired. */
  staleSearch: boolean
  /** Maximum size of a Graph list page, even if a larger page is requested. */
  maxListPage: number
  /** True if the storage of the Graph mailbox is full. */
  full: boolean
  /**
   * True if the Graph mailbox cannot store further names of header fields, although its storage is
   * not full.
   */
  namesUsedUp: boolean
  /** Sender addresses that the user of the Graph mailbox may not use. */
  deniedSenders: string[]
  maxSentBytes: number
  /** True if Graph gives a draft another id when the draft is sent. */
  draftIdChanges: boolean
  /** True if Graph gives a sent message another Message-ID. */
  replacesMessageId: boolean
  /** Time until the sent copy appears in the Graph mailbox, in milliseconds. */
  sentDelayMs: number
  /**
   * True if the access tokens of Graph belong to an application, for which `/me` does not exist.
   */
  appOnly: boolean
}

export interface FakeSubscription {
  id: string
  mailbox: FakeMailbox
  immutable: boolean
  resource: string
  changeType: string
  clientState: string
  notificationUrl: string
  lifecycleNotificationUrl: string | undefined
  expiresAt: number
}

/** Upload of one attachment to the Graph fake in slices. */
export interface UploadSession {
  mailbox: FakeMailbox
  message: FakeMessage
  item: Json
  size: number
  chunks: Buffer[]
  received: number
}

/** Part of the Graph fake that its handlers use. */
export interface GraphService {
  readonly clock: VirtualClock
  readonly cloud: 'global' | 'china'
  readonly handshakes: boolean
  readonly concurrency: FakeConcurrency
  readonly faults: GraphFaults
  readonly subscriptions: Map<string, FakeSubscription>
  readonly uploads: Map<string, UploadSession>
  /** Origin of the links in responses of the Graph fake. */
  readonly publicOrigin: string
  readonly server: {
    execute(
      request: Pick<ProviderRequest, 'method' | 'headers' | 'raw'> & { url: string },
    ): Promise<SentResponse>
  }
  /** Mailbox of the user to whom the token of a Graph request belongs. */
  readonly mailbox: FakeMailbox
  mailboxOf(user: string): FakeMailbox
  /**
   * Counts the body of a request towards the upload limit of the Graph mailbox. Returns an error if
   * the limit is exceeded.
   */
  takeUpload(mailbox: FakeMailbox, request: ProviderRequest): GraphFault | undefined
  deltaOf(mailbox: FakeMailbox): FakeDelta
}
