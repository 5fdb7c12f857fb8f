import { createHash, timingSafeEqual } from 'node:crypto'
import type { ProviderNotice } from '@posthorn/contracts/commands/notices'
import type { ApiWatchRow } from '../store/api/watches.ts'
import type { WatchedAccount } from './watched-account.ts'

const minuteMs = 60_000
/** Age of an unannounced change from which the watch counts as silent. */
const silentMs = 5 * minuteMs
/** Minimum delay between replacements of a silent watch. */
const replaceMs = 60 * minuteMs

/** Largest difference between two spellings of one expiry. */
const clockMs = minuteMs

/** Result of a notice, as counted by the metrics. */
export type NoticeOutcome = 'accepted' | 'forged'

/**
 * State of one account's watch in memory: a hash of 32 bytes and a few times. Everything else is in
 * Postgres.
 */
export class AccountWatch {
  account: WatchedAccount
  /** Between two connections of the session: notices are collected, nothing is renewed. */
  isPaused = false
  /** Stored registration; null if there is none, undefined until it is loaded. */
  row: ApiWatchRow | null | undefined
  /** Hash of a secret that is being registered: notifications may precede the response. */
  pendingHash: Buffer | undefined
  /** Time of the next renewal, in epoch milliseconds. */
  renewAt: number
  /** Consecutive failures. */
  failures = 0
  isRenewing = false
  /** True while a watch is created, instead of renewed. */
  isCreating = false
  /** The provider has ended the watch, or is silent: create another one. */
  isLost = false
  /** Time of the last notification that is not stored yet. */
  noticedAt: Date | undefined
  /** Expiry for which the provider has requested a renewal. */
  #expiringAt = 0
  #replacedAt = -Infinity

  constructor(account: WatchedAccount, now: number) {
    this.account = account
    this.renewAt = now
  }

  isActive(now: number): boolean {
    return this.row?.state === 'active' && !this.isLost && this.row.expiresAt.getTime() > now
  }

  /** True while Microsoft Graph refuses to notify. */
  get isRefused(): boolean {
    return this.account.provider === 'graph' && this.row?.state === 'failed'
  }

  /** Handles a notification. A forged one has no effect. */
  receive(notice: ProviderNotice, now: number): NoticeOutcome {
    const { kind, secretHash, isOwn, messages, expiresAt } = notice
    if (!this.#isGenuine(secretHash)) return 'forged'
    if (!isOwn) this.noticedAt = new Date(now)
    // The topic of the application exists now.
    else if (!this.isActive(now)) this.renewAt = now
    if (kind === 'changed') this.account.onNotice(kind, messages)
    if (kind === 'missed') this.account.onNotice(kind)
    if (kind === 'expiring') this.#onExpiring(now, expiresAt)
    if (kind === 'removed') this.#replace(now)
    return 'accepted'
  }

  /** Requests a sync after the watch was created: earlier changes were not announced. */
  catchUp(wasLost: boolean): void {
    this.account.onNotice(wasLost ? 'missed' : 'changed')
  }

  /** Polls as without a watch: the provider has no place to notify any more. */
  endWithoutDestination(renewAt: number): void {
    if (this.row?.remoteId) this.isLost = true
    this.renewAt = renewAt
  }

  reportUnnoticed(changedAt: Date, now: number): void {
    const noticedAt = this.noticedAt ?? this.row?.lastNotifiedAt ?? undefined
    const isSilent = now - changedAt.getTime() > silentMs && !(noticedAt && noticedAt > changedAt)
    if (!isSilent || !this.isActive(now) || now - this.#replacedAt < replaceMs) return
    this.#replacedAt = now
    this.#replace(now)
  }

  /** Pauses unless a later account has resumed the watch. */
  pause(account: WatchedAccount): void {
    if (this.account === account) this.isPaused = true
  }

  /** Continues for the next connection of the session. A due or failed renewal starts now. */
  resume(account: WatchedAccount, now: number): void {
    this.account = account
    this.isPaused = false
    if (this.row !== undefined)
      this.renewAt = this.isLost ? now : (this.row?.renewAt.getTime() ?? now)
  }

  /**
   * Microsoft sends the request in bursts: one renewal for each expiry. A request about an earlier
   * one is late: another worker may have renewed the watch.
   */
  #onExpiring(now: number, reported: string | undefined): void {
    const expiresAt = this.row?.expiresAt.getTime() ?? 0
    const isLate = reported !== undefined && Date.parse(reported) < expiresAt - clockMs
    if (isLate || this.#expiringAt === expiresAt) return
    this.#expiringAt = expiresAt
    this.renewAt = now
  }

  #replace(now: number): void {
    this.isLost = true
    this.renewAt = now
  }

  /** Notices without a hash come from Pub/Sub, whose sender api-gateway has authenticated. */
  #isGenuine(secretHash: string | undefined): boolean {
    if (secretHash === undefined) return this.account.provider === 'gmail'
    const hash = Buffer.from(secretHash, 'base64url')
    const own = [this.row?.clientStateHash, this.pendingHash]
    return own.some((each) => each?.length === hash.length && timingSafeEqual(each, hash))
  }
}

/** SHA-256 of a secret, as it is stored and compared. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}
