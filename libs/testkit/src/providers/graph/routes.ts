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
  /** Value of a name of the path template. */
  param: (name: string) => string
}

export type GraphRoutes = Record<string, (request: MailboxRequest) => ProviderResponse>

/**
 * Irregular behaviour of the fake without a separate response. See also `delta`, `notifications`.
 */
export interface GraphFaults {
  /** Removes subscriptions' creation, as for shared mailboxes and failed validations. */
  refusesSubscriptions: boolean
  /** Another user's mailbox by delegated permission: no subscriptions and upload sessions. */
  delegatedShared: boolean
  /** Filtered lists have no links to further pages. */
  losesNextLinks: boolean
  /** Further pages of searches have expired. */
  staleSearch: boolean
  /** Largest page of a list, whatever is requested. */
  maxListPage: number
  /** Storage of the mailbox is used up. */
  full: boolean
  /** The mailbox has no room for further names of header fields, though it is not full. */
  namesUsedUp: boolean
  /** Senders that the user must not use. */
  deniedSenders: string[]
  maxSentBytes: number
  /** A draft gets another id when it is sent. */
  draftIdChanges: boolean
  /** A sent message gets another Message-ID. */
  replacesMessageId: boolean
  /** Time until the sent copy is filed. */
  sentDelayMs: number
  /** A token of an application: there is no `/me`. */
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

/** Upload of one attachment in slices. */
export interface UploadSession {
  mailbox: FakeMailbox
  message: FakeMessage
  item: Json
  size: number
  chunks: Buffer[]
  received: number
}

/** Part of the fake that handlers use. */
export interface GraphService {
  readonly clock: VirtualClock
  readonly cloud: 'global' | 'china'
  readonly handshakes: boolean
  readonly concurrency: FakeConcurrency
  readonly faults: GraphFaults
  readonly subscriptions: Map<string, FakeSubscription>
  readonly uploads: Map<string, UploadSession>
  /** Origin of the links in responses. */
  readonly publicOrigin: string
  readonly server: {
    execute(
      request: Pick<ProviderRequest, 'method' | 'headers' | 'raw'> & { url: string },
    ): Promise<SentResponse>
  }
  /** Mailbox of the token's user. */
  readonly mailbox: FakeMailbox
  mailboxOf(user: string): FakeMailbox
  /** Counts the body of a request, or returns the error of a request that has to wait. */
  takeUpload(mailbox: FakeMailbox, request: ProviderRequest): GraphFault | undefined
  deltaOf(mailbox: FakeMailbox): FakeDelta
}
