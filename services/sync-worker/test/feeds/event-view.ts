import type { NewEvent } from '@posthorn/db'
import { applyChanges, assertSame, type ValueChanges } from '@posthorn/testkit'

interface ViewedMessage {
  path: string
  flags: string[]
  labels: string[]
}

type EventData = {
  id: string
  flags: string[]
  labels: string[]
  changes?: { flags?: ValueChanges; labels?: ValueChanges }
}

/**
 * Mailbox as seen by a client that knows only the events. Fails on an event that repeats or
 * contradicts earlier events.
 */
export class EventView {
  readonly messages = new Map<string, ViewedMessage>()
  readonly missing = new Set<string>()
  /** Paths of the folders and labels that the events have announced. */
  readonly mailboxes = new Set<string>()
  readonly #eventIds = new Set<string>()
  /**
   * True while the message index is being filled. During that time, events may concern messages
   * that were not announced.
   */
  isLenient = true
  #applied = 0

  applyNew(events: readonly NewEvent[]): void {
    for (; this.#applied < events.length; this.#applied++) {
      const event = events[this.#applied] as NewEvent
      if (this.#eventIds.has(event.eventId)) throw new Error(`repeated event id ${event.eventId}`)
      this.#eventIds.add(event.eventId)
      this.#apply(event)
    }
  }

  #apply(event: NewEvent): void {
    if (event.event === 'mailboxNew' || event.event === 'mailboxDeleted')
      return this.#applyFolder(event)
    const { id, flags, labels } = event.data as EventData
    const message = this.messages.get(id)
    if (event.event === 'messageNew') {
      if (message) throw new Error(`${id} announced twice`)
      this.messages.set(id, { path: event.path ?? '', flags, labels })
    } else if (event.event === 'messageMissing') this.missing.add(id)
    else if (message) this.#applyTo(message, event)
    else if (!this.isLenient) throw new Error(`${event.event} of ${id}, which was not announced`)
  }

  #applyFolder({ event, path = '' }: NewEvent): void {
    if (event === 'mailboxNew' && this.mailboxes.has(path)) throw new Error(`${path} created twice`)
    if (event === 'mailboxDeleted' && !this.mailboxes.has(path))
      throw new Error(`${path} deleted, which was not announced`)
    if (event === 'mailboxNew') this.mailboxes.add(path)
    else this.mailboxes.delete(path)
  }

  #applyTo(message: ViewedMessage, { event, path, data }: NewEvent): void {
    const { id, flags, labels, changes } = data as EventData
    if (message.path !== path) throw new Error(`${event} of ${id} in another mailbox`)
    if (event === 'messageDeleted') {
      assertSame(id, [flags, labels], [message.flags, message.labels])
      this.messages.delete(id)
    }
    if (changes?.flags) message.flags = applyChanges(id, message.flags, changes.flags)
    if (changes?.labels) message.labels = applyChanges(id, message.labels, changes.labels)
  }
}
