import type { CalendarEvent } from '@posthorn/contracts/schemas/calendar'
import type { ParsedCalendar, ReadPart } from '@posthorn/message-reader'

/**
 * Maximum bytes that are read of a calendar part. Invitations are small; a larger part is usually
 * the export of a whole calendar.
 */
const maxBytes = 524_288
/** Maximum number of calendar parts that are read per message. */
const maxParts = 10
/** Maximum number of calendar events per message. Equals the limit for one calendar part. */
const maxEvents = 100
/** Maximum bytes of all calendar parts of a message whose contents are returned. */
const maxContentBytes = maxBytes

/** Attachment that may be a calendar. */
export interface CalendarCandidate {
  /** Id of the attachment. */
  id: string
  contentType: string
  /** Size of the attachment in bytes, either in transfer encoding or decoded. */
  size: number
  filename?: string
  method?: string
  charset?: string
}

interface CalendarPart<Part> {
  part: Part
  bytes: Uint8Array
}

interface CalendarSource<Part> {
  read: ReadPart
  /** Reads the first `maxBytes` of a calendar part. Undefined if the part is missing. */
  readPart: (part: Part, maxBytes: number) => Promise<Uint8Array | undefined>
}

/**
 * Calendar events of a message, and the names of the members that were cut or left out. Empty
 * fields are absent: if all events are left out, only `truncated` is present.
 */
export interface CalendarEvents {
  calendarEvents?: CalendarEvent[]
  truncated?: string[]
}

/**
 * Reads the events in a message's calendar parts, one event per UID. If parts contain the same UID,
 * `text/calendar` is preferred. Only the first event of a part contains the content of the part, so
 * that the result is not larger than the parts.
 */
export async function readCalendarEvents<Part extends CalendarCandidate>(
  { read, readPart }: CalendarSource<Part>,
  attachments: readonly Part[],
): Promise<CalendarEvents> {
  const calendars = attachments.filter(isCalendar)
  const candidates = calendars
    .filter(({ size }) => size <= 2 * maxBytes)
    .sort((one, other) => preference(one) - preference(other))
  let isCut = candidates.length < calendars.length || candidates.length > maxParts
  const parts: CalendarPart<Part>[] = []
  for (const part of candidates.slice(0, maxParts)) {
    const bytes = await readPart(part, maxBytes + 1)
    if (!bytes) continue
    if (bytes.length > maxBytes) isCut = true
    else parts.push({ part, bytes })
  }
  const selection = new EventSelection(isCut)
  if (parts.length === 0) return selection.result()
  const encoded = parts.map(({ part: { charset }, bytes }) => ({ bytes, charset }))
  const parsed = await read('calendars', encoded)
  for (const [at, part] of parts.entries()) selection.add(part, parsed[at])
  return selection.result()
}

/** Collects the events of calendar parts, up to the limits of a message. */
class EventSelection {
  readonly #events = new Map<string, CalendarEvent>()
  readonly #cut = new Set<string>()
  #contentBytes = 0

  constructor(isCut: boolean) {
    if (isCut) this.#cut.add('calendarEvents')
  }

  /**
   * Adds the events of a calendar part. `calendar` is undefined for a calendar part above the
   * limits.
   */
  add(part: CalendarPart<CalendarCandidate>, calendar: ParsedCalendar | undefined): void {
    if (!calendar || calendar.isCut) this.#cut.add('calendarEvents')
    const fresh = eventsOf(part.part, calendar).filter(({ eventId }) => !this.#events.has(eventId))
    const fitting = fresh.slice(0, maxEvents - this.#events.size)
    if (fitting.length < fresh.length) this.#cut.add('calendarEvents')
    for (const [at, event] of fitting.entries())
      this.#events.set(event.eventId, at === 0 ? { ...event, ...this.#contentOf(part) } : event)
  }

  result(): CalendarEvents {
    const calendarEvents = [...this.#events.values()]
    return {
      ...(calendarEvents.length > 0 && { calendarEvents }),
      ...(this.#cut.size > 0 && { truncated: [...this.#cut] }),
    }
  }

  #contentOf({ bytes }: CalendarPart<CalendarCandidate>): Pick<CalendarEvent, 'content'> {
    if (this.#contentBytes + bytes.length > maxContentBytes) {
      this.#cut.add('calendarEvents.content')
      return {}
    }
    this.#contentBytes += bytes.length
    return { content: Buffer.from(bytes).toString('base64') }
  }
}

function isCalendar({ contentType, filename }: CalendarCandidate): boolean {
  return (
    contentType === 'text/calendar' ||
    contentType === 'application/ics' ||
    (contentType === 'application/octet-stream' && /\.ics$/i.test(filename ?? ''))
  )
}

function preference({ contentType }: CalendarCandidate): number {
  return contentType === 'text/calendar' ? 0 : 1
}

/** Builds the events of a calendar part. The events do not contain the content of the part. */
function eventsOf(part: CalendarCandidate, calendar?: ParsedCalendar): CalendarEvent[] {
  const { method = part.method?.toUpperCase(), entries = [] } = calendar ?? {}
  return entries.map(({ uid, ...entry }) => ({
    eventId: uid,
    attachment: part.id,
    ...(method !== undefined && { method }),
    ...entry,
    filename: method === 'REQUEST' || method === 'CANCEL' ? 'invite.ics' : 'event.ics',
    contentType: part.contentType,
    encoding: 'base64' as const,
  }))
}
