import type { GmailMailbox } from '../mailbox.ts'
import type { FakePubSub } from './fake-pubsub.ts'

/** Notification about a mailbox change that Gmail publishes to Pub/Sub. */
export interface FakeNotification {
  topic: string
  emailAddress: string
  historyId: string
}

/** Faults of the notifications of Gmail. */
export interface NotificationFaults {
  /** Number of the next Gmail notifications that are lost. */
  lost: number
  /** True if every Gmail notification is published twice. */
  duplicated: boolean
  /**
   * True if Gmail notifications wait until `release`, which publishes the latest notification
   * first.
   */
  reordered: boolean
  /** Number of history reads after a Gmail notification that do not show its change yet. */
  ahead: number
}

/** Watch (registration for notifications) of a Gmail mailbox for one Google project. */
export interface FakeWatch {
  address: string
  topic: string
  expiresAt: number
  /**
   * True if the watch (registration for notifications) no longer sends notifications, although it
   * has not expired.
   */
  isSilent: boolean
}

/**
 * Watches (registrations for notifications) of Gmail mailboxes and the notifications that they
 * cause.
 */
export class GmailNotifications {
  readonly faults: NotificationFaults = { lost: 0, duplicated: false, reordered: false, ahead: 0 }
  /** Notifications that Gmail would publish if there were no faults. */
  readonly all: FakeNotification[] = []
  /**
   * Watches (registrations for notifications) by their key, which consists of the mailbox and the
   * Google project.
   */
  readonly watches = new Map<string, FakeWatch>()
  readonly #pubsub: FakePubSub
  readonly #held: FakeNotification[] = []

  constructor(pubsub: FakePubSub) {
    this.#pubsub = pubsub
  }

  find(address: string, project: string): FakeWatch | undefined {
    return this.watches.get(keyOf(address, project))
  }

  /**
   * Starts or renews a watch (registration for notifications) of a Gmail mailbox, and publishes a
   * notification. A silent watch stays silent when it is renewed.
   */
  start(
    { address, historyId }: GmailMailbox,
    { topic, expiresAt, ...more }: Omit<FakeWatch, 'address' | 'isSilent'> & { isSilent?: true },
  ): void {
    const key = keyOf(address, projectOf(topic))
    const isSilent = more.isSilent ?? this.watches.get(key)?.isSilent ?? false
    this.watches.set(key, { address, topic, expiresAt, isSilent })
    if (!isSilent) this.#publish({ topic, emailAddress: address, historyId: String(historyId) })
  }

  /**
   * Ends the watch (registration for notifications) of a Google project, or all watches of the
   * Gmail mailbox.
   */
  stop(address: string, project?: string): void {
    for (const [key, watch] of this.watches)
      if (
        watch.address === address &&
        (project ?? projectOf(watch.topic)) === projectOf(watch.topic)
      )
        this.watches.delete(key)
  }

  /**
   * Makes the watches (registrations for notifications) of a Gmail mailbox silent until they are
   * stopped and started again.
   */
  silence(address: string): void {
    for (const watch of this.watches.values()) if (watch.address === address) watch.isSilent = true
  }

  /** Publishes a notification about the latest change of a Gmail mailbox. */
  notify(mailbox: GmailMailbox, now: number): void {
    const { address, historyId } = mailbox
    for (const { topic, isSilent, ...watch } of this.watches.values()) {
      if (watch.address !== address || watch.expiresAt <= now || isSilent) continue
      if (this.faults.ahead > 0) mailbox.hideLatest(this.faults.ahead)
      this.#publish({ topic, emailAddress: address, historyId: String(historyId) })
    }
  }

  /** Publishes the Gmail notifications that have waited, latest first. */
  release(): void {
    for (const notification of this.#held.splice(0).reverse()) this.#send(notification)
  }

  #publish(notification: FakeNotification): void {
    this.all.push(notification)
    if (this.faults.lost > 0) return void this.faults.lost--
    if (this.faults.reordered) return void this.#held.push(notification)
    this.#send(notification)
    if (this.faults.duplicated) this.#send(notification)
  }

  #send({ topic, emailAddress, historyId }: FakeNotification): void {
    // The history id is a JSON number in Gmail notifications, but a string in the Gmail API.
    this.#pubsub.publish(topic, JSON.stringify({ emailAddress, historyId: Number(historyId) }))
  }
}

/** Google project in the name of a topic `projects/P/topics/T`. */
export function projectOf(topic: string): string {
  return topic.split('/')[1] ?? ''
}

function keyOf(address: string, project: string): string {
  return `${address} ${project}`
}
