import type { AttachmentInfo, CalendarEvent } from '@posthorn/contracts'
import type { ParsedCalendar } from '@posthorn/message-reader'
import type { AttachedPart, Outline } from '../messages/outline.ts'
import { readPart } from '../messages/read-text.ts'
import type { MessageSource } from '../messages/source.ts'
import { undefinedIfMissing } from '../messages/undefined-if.ts'

/** Invitations are small. A larger part is the export of a whole calendar. */
const maxBytes = 524_288
/** Maximum calendar parts read per message. */
const maxParts = 10

interface CalendarPart {
  part: AttachedPart
  /** Attachment id. */
  id: string
  bytes: Buffer
}

/** Events of a message's calendar parts, one per UID. `text/calendar` is preferred. */
export async function readCalendarEvents(
  { session, read }: MessageSource<'downloadPart'>,
  message: { uid: number; outline: Outline; attachments: readonly AttachmentInfo[] | undefined },
): Promise<CalendarEvent[]> {
  const candidates = message.outline.attachments
    .map((part, at) => ({ part, id: message.attachments?.[at]?.id ?? '' }))
    .filter(({ part }) => isCalendar(part))
    .sort((a, b) => preference(a.part) - preference(b.part))
  const parts: CalendarPart[] = []
  for (const { part, id } of candidates.slice(0, maxParts)) {
    const bytes = await undefinedIfMissing(
      readPart(session, { uid: message.uid, part: part.part, maxBytes: maxBytes + 1 }),
    )
    if (bytes && bytes.length <= maxBytes) parts.push({ part, id, bytes })
  }
  if (parts.length === 0) return []
  const encoded = parts.map(({ part: { charset }, bytes }) => ({ bytes, charset }))
  const calendars = await read('calendars', encoded)
  const events = new Map<string, CalendarEvent>()
  for (const event of parts.flatMap((part, at) => eventsOf(part, calendars[at])))
    if (!events.has(event.eventId)) events.set(event.eventId, event)
  return [...events.values()]
}

function isCalendar({ contentType, filename, size }: AttachedPart): boolean {
  if (size > 2 * maxBytes) return false
  return (
    contentType === 'text/calendar' ||
    contentType === 'application/ics' ||
    (contentType === 'application/octet-stream' && /\.ics$/i.test(filename ?? ''))
  )
}

function preference({ contentType }: AttachedPart): number {
  return contentType === 'text/calendar' ? 0 : 1
}

function eventsOf({ part, id, bytes }: CalendarPart, calendar?: ParsedCalendar): CalendarEvent[] {
  const { method = part.method?.toUpperCase(), entries = [] } = calendar ?? {}
  return entries.map(({ uid, ...entry }) => ({
    eventId: uid,
    attachment: id,
    ...(method !== undefined && { method }),
    ...entry,
    filename: method === 'REQUEST' || method === 'CANCEL' ? 'invite.ics' : 'event.ics',
    contentType: part.contentType,
    encoding: 'base64' as const,
    content: bytes.toString('base64'),
  }))
}
