import type { ProviderFake } from '../provider-fake.ts'
import type { ProviderRequest, ProviderResponse } from '../requests.ts'
import type { VirtualClock } from '../virtual-clock.ts'
import type { GmailMailbox } from './mailbox.ts'
import { FakePubSub } from './pubsub/fake-pubsub.ts'
import { GmailNotifications } from './pubsub/gmail-notifications.ts'

const modifyScope = 'https://www.googleapis.com/auth/gmail.modify'

/** Access of a client to one mailbox. */
export interface FakeGrant {
  address: string
  scopes: readonly string[]
  /** Google project of the client. Absent: of any, so that all topics are permitted. */
  project?: string
}

/** Message that left a mailbox. */
export interface FakeSentMessage {
  from: string
  raw: Buffer
}

/** Behaviour that differs between mailboxes and times. May be changed at any time. */
export interface GmailSwitches {
  /** Enforces 6,000 units per minute and 5 concurrent requests. */
  limits: boolean
  /** Sending keeps the Message-ID of the message. */
  keepsMessageId: boolean
  /** Sending replaces authors other than the mailbox, as for addresses that are no aliases. */
  replacesFrom: boolean
  /** Records of the history have no label sets. */
  omitsLabelIds: boolean
  /** Number of pages without `history` that precede the next page with `history`. */
  emptyHistoryPages: number
  /** `batchModify` refuses unknown ids with 404. */
  refusesUnknownIds: boolean
  /** Texts of more bytes have an attachment id. */
  largeTextBytes: number
  /** Largest JSON body in bytes. Larger bodies get 413 as HTML. */
  maxJsonBytes: number
}

export type MailboxHandler = (
  mailbox: GmailMailbox,
  request: ProviderRequest,
) => ProviderResponse | Promise<ProviderResponse>

/** Resumable upload in progress. */
export interface UploadSession {
  /** Members of the resource besides the source. */
  resource: Record<string, unknown>
  length: number
  received: Buffer
  /** Response of the upload, once the message is stored. */
  result?: ProviderResponse
}

/** State of the fake that its handlers share. */
export abstract class GmailState {
  abstract readonly fake: ProviderFake
  readonly mailboxes = new Map<string, GmailMailbox>()
  /** Addresses of mailboxes by their aliases and former addresses. */
  readonly aliases = new Map<string, string>()
  /** Valid access tokens. */
  readonly tokens = new Map<string, FakeGrant & { expiresAt: number }>()
  readonly refreshTokens = new Map<string, FakeGrant>()
  readonly sent: FakeSentMessage[] = []
  readonly pubsub: FakePubSub
  /** Watches, and the notifications that Gmail publishes about them. */
  readonly notifications: GmailNotifications
  readonly uploads = new Map<string, UploadSession>()
  /** Attachments by their current ids. */
  readonly attachmentIds = new Map<string, { messageId: string; partId: string }>()
  /** Page tokens with the position after which they continue. */
  readonly pageTokens = new Map<string, string>()
  readonly switches: GmailSwitches = {
    limits: false,
    keepsMessageId: false,
    replacesFrom: false,
    omitsLabelIds: false,
    emptyHistoryPages: 0,
    refusesUnknownIds: false,
    largeTextBytes: 1_048_576,
    maxJsonBytes: 5_000_000,
  }
  readonly clock: VirtualClock
  #counter = 0

  constructor(clock: VirtualClock) {
    this.clock = clock
    this.pubsub = new FakePubSub(clock)
    this.notifications = new GmailNotifications(this.pubsub)
  }

  get origin(): string {
    return this.fake.origin
  }

  /** Grants access for an hour, to a client of the Google project `project` if that is set. */
  grant(address: string, scopes: readonly string[] = [modifyScope], project?: string): string {
    const token = this.newText('ya29.')
    const expiresAt = this.clock.now + 3_599_000
    this.tokens.set(token, { address, scopes, expiresAt, ...(project && { project }) })
    return token
  }

  /**
   * Access that the token of a request grants. Undefined if the request has no token, or the token
   * has expired.
   */
  findGrant({ headers }: Pick<ProviderRequest, 'headers'>): FakeGrant | undefined {
    const grant = this.tokens.get(/^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '')
    return grant && grant.expiresAt > this.clock.now ? grant : undefined
  }

  /** Returns a new text that begins with `start`. */
  newText(start: string): string {
    return `${start}${(++this.#counter * 7_919).toString(36)}`
  }
}
