import type { NewEvent } from '@posthorn/db'

interface ViewedMessage {
  path: string
  flags: string[]
  labels: string[]
}

interface Changes {
  added: string[]
  removed: string[]
  value: string[]
}

type EventData = {
  id: string
  flags: string[]
  labels: string[]
  changes?: { flags?: Changes; labels?: Changes }
}

/**
 * Mailbox as a client sees it that knows the events only. Fails on an event that repeats or
 * contradicts earlier ones.
 */
export class EventView {
  readonly messages = new Map<string, ViewedMessage>()
  readonly missing = new Set<string>()
  /** Paths of folders and labels. */
  readonly mailboxes = new Set<string>()
  readonly #eventIds = new Set<string>()
  /** While the index is filled, events can concern messages that were not announced. */
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
      assertEqual(id, [flags, labels], [message.flags, message.labels])
      this.messages.delete(id)
    }
    if (changes?.flags) message.flags = applyChange(id, message.flags, changes.flags)
    if (changes?.labels) message.labels = applyChange(id, message.labels, changes.labels)
  }
}

function applyChange(id: string, before: string[], { added, removed, value }: Changes): string[] {
  if (added.length + removed.length === 0) throw new Error(`empty change of ${id}`)
  if (added.some((name) => before.includes(name))) throw new Error(`added twice to ${id}`)
  if (removed.some((name) => !before.includes(name))) throw new Error(`removed twice from ${id}`)
  const expected = [...before.filter((name) => !removed.includes(name)), ...added].sort()
  assertEqual(id, value, expected)
  return value
}

function assertEqual(id: string, one: unknown, other: unknown): void {
  const [text, otherText] = [JSON.stringify(one), JSON.stringify(other)]
  if (text !== otherText) throw new Error(`${id}: ${text} instead of ${otherText}`)
}
