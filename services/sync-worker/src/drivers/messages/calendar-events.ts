import type { CalendarEvent } from '@posthorn/contracts/schemas/calendar'
import type { ParsedCalendar, ReadPart } from '@posthorn/message-reader'

/** Invitations are small. A larger part is the export of a whole calendar. */
const maxBytes = 524_288
/** Maximum calendar parts read per message. */
const maxParts = 10

/** Attachment that may be a calendar. */
export interface CalendarCandidate {
  /** Attachment id. */
  id: string
  contentType: string
  /** Bytes, in transfer encoding or decoded. */
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
  /** Reads up to `maxBytes` of a part. Undefined if it is missing. */
  readPart: (part: Part, maxBytes: number) => Promise<Uint8Array | undefined>
}

/** Events of a message's calendar parts, one per UID. `text/calendar` is preferred. */
export async function readCalendarEvents<Part extends CalendarCandidate>(
  { read, readPart }: CalendarSource<Part>,
  attachments: readonly Part[],
): Promise<CalendarEvent[]> {
  const candidates = attachments
    .filter(isCalendar)
    .sort((one, other) => preference(one) - preference(other))
  const parts: CalendarPart<Part>[] = []
  for (const part of candidates.slice(0, maxParts)) {
    const bytes = await readPart(part, maxBytes + 1)
    if (bytes && bytes.length <= maxBytes) parts.push({ part, bytes })
  }
  if (parts.length === 0) return []
  const encoded = parts.map(({ part: { charset }, bytes }) => ({ bytes, charset }))
  const calendars = await read('calendars', encoded)
  const events = new Map<string, CalendarEvent>()
  for (const event of parts.flatMap((part, at) => eventsOf(part, calendars[at])))
    if (!events.has(event.eventId)) events.set(event.eventId, event)
  return [...events.values()]
}

function isCalendar({ contentType, filename, size }: CalendarCandidate): boolean {
  if (size > 2 * maxBytes) return false
  return (
    contentType === 'text/calendar' ||
    contentType === 'application/ics' ||
    (contentType === 'application/octet-stream' && /\.ics$/i.test(filename ?? ''))
  )
}

function preference({ contentType }: CalendarCandidate): number {
  return contentType === 'text/calendar' ? 0 : 1
}

function eventsOf(
  { part, bytes }: CalendarPart<CalendarCandidate>,
  calendar?: ParsedCalendar,
): CalendarEvent[] {
  const { method = part.method?.toUpperCase(), entries = [] } = calendar ?? {}
  return entries.map(({ uid, ...entry }) => ({
    eventId: uid,
    attachment: part.id,
    ...(method !== undefined && { method }),
    ...entry,
    filename: method === 'REQUEST' || method === 'CANCEL' ? 'invite.ics' : 'event.ics',
    contentType: part.contentType,
    encoding: 'base64' as const,
    content: Buffer.from(bytes).toString('base64'),
  }))
}
