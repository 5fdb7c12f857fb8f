import type { ProviderFake } from '../provider-fake.ts'
import type { ProviderRequest, ProviderResponse } from '../requests.ts'
import type { VirtualClock } from '../virtual-clock.ts'
import type { GmailMailbox } from './mailbox.ts'
import { FakePubSub } from './pubsub/fake-pubsub.ts'
import { GmailNotifications } from './pubsub/gmail-notifications.ts'

const modifyScope = 'https://www.googleapis.com/auth/gmail.modify'

/** Access of a client to one mailbox of the Gmail fake. */
export interface FakeGrant {
  address: string
  scopes: readonly string[]
  /** Google project of the Gmail fake's client. If absent, topics of all projects are permitted. */
  project?: string
}

/** Message that was sent from a mailbox of the Gmail fake. */
export interface FakeSentMessage {
  from: string
  raw: Buffer
}

/**
 * Behaviour of Gmail that differs between mailboxes or changes with time. May be switched at any
 * time.
 */
export interface GmailSwitches {
  /** True to enforce limits of 6,000 quota units per minute and 5 concurrent requests. */
  limits: boolean
  /** True if the Gmail fake keeps the Message-ID of a sent message. */
  keepsMessageId: boolean
  /**
   * True if the Gmail fake replaces authors in From of a sent message, unless the author is the
   * mailbox's own address. Gmail does so for addresses that are no aliases.
   */
  replacesFrom: boolean
  /** True if records of the Gmail history contain no label sets. */
  omitsLabelIds: boolean
  /** Number of Gmail history pages without `history` before the next page with `history`. */
  emptyHistoryPages: number
  /** True if Gmail's `batchModify` refuses unknown message ids with status 404. */
  refusesUnknownIds: boolean
  /**
   * Size in bytes above which the Gmail fake gives a text an attachment id instead of including the
   * text in the message.
   */
  largeTextBytes: number
  /**
   * Largest JSON body of a request to the Gmail fake, in bytes. A larger body gets status 413 with
   * an HTML page.
   */
  maxJsonBytes: number
}

export type MailboxHandler = (
  mailbox: GmailMailbox,
  request: ProviderRequest,
) => ProviderResponse | Promise<ProviderResponse>

/** Resumable upload to the Gmail fake that has started. */
export interface UploadSession {
  /** Members of the Gmail resource to upload, other than the source of the message. */
  resource: Record<string, unknown>
  length: number
  received: Buffer
  /** Response to the message upload. Set when the Gmail fake has stored the message. */
  result?: ProviderResponse
}

/** State of the Gmail fake that its handlers share. */
export abstract class GmailState {
  abstract readonly fake: ProviderFake
  readonly mailboxes = new Map<string, GmailMailbox>()
  /** Addresses of the Gmail fake's mailboxes, by alias or former address. */
  readonly aliases = new Map<string, string>()
  /** Valid access tokens of the Gmail fake. */
  readonly tokens = new Map<string, FakeGrant & { expiresAt: number }>()
  readonly refreshTokens = new Map<string, FakeGrant>()
  readonly sent: FakeSentMessage[] = []
  readonly pubsub: FakePubSub
  /**
   * Watches (registrations for notifications) of the Gmail fake, and the notifications that Gmail
   * publishes for them.
   */
  readonly notifications: GmailNotifications
  readonly uploads = new Map<string, UploadSession>()
  /** Attachments of the Gmail fake by their current attachment ids. */
  readonly attachmentIds = new Map<string, { messageId: string; partId: string }>()
  /** Positions after which the next page of a Gmail list starts, by page token. */
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

  /**
   * Grants access to a mailbox of the Gmail fake for an hour. With `project`, the client belongs to
   * this Google project.
   */
  grant(address: string, scopes: readonly string[] = [modifyScope], project?: string): string {
    const token = this.newText('ya29.')
    const expiresAt = this.clock.now + 3_599_000
    this.tokens.set(token, { address, scopes, expiresAt, ...(project && { project }) })
    return token
  }

  /**
   * Access that the token of a request to the Gmail fake grants. Undefined if the request has no
   * token, or the token has expired.
   */
  findGrant({ headers }: Pick<ProviderRequest, 'headers'>): FakeGrant | undefined {
    const grant = this.tokens.get(/^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '')
    return grant && grant.expiresAt > this.clock.now ? grant : undefined
  }

  /** Returns a unique text for the Gmail fake, such as an id, that begins with `start`. */
  newText(start: string): string {
    return `${start}${(++this.#counter * 7_919).toString(36)}`
  }
}
