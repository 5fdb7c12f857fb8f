import type { MailSession } from '@posthorn/backends'
import type { AttachmentInfo, CalendarEvent } from '@posthorn/contracts'
import { decodeText, parseCalendar } from '@posthorn/mime'
import type { AttachedPart, Outline } from '../messages/outline.ts'
import { readPart } from '../messages/read-text.ts'
import { undefinedIfMissing } from '../messages/undefined-if.ts'

/** Invitations are small. A larger part is the export of a whole calendar. */
const maxBytes = 524_288
/** Maximum calendar parts read per message. */
const maxParts = 10

/** Events of a message's calendar parts, one per UID. `text/calendar` is preferred. */
export async function readCalendarEvents(
  session: MailSession,
  message: { uid: number; outline: Outline; attachments: readonly AttachmentInfo[] | undefined },
): Promise<CalendarEvent[]> {
  const parts = message.outline.attachments
    .map((part, at) => ({ part, id: message.attachments?.[at]?.id ?? '' }))
    .filter(({ part }) => isCalendar(part))
    .sort((a, b) => preference(a.part) - preference(b.part))
  const events = new Map<string, CalendarEvent>()
  for (const { part, id } of parts.slice(0, maxParts)) {
    const bytes = await undefinedIfMissing(
      readPart(session, { uid: message.uid, part: part.part, maxBytes: maxBytes + 1 }),
    )
    if (!bytes || bytes.length > maxBytes) continue
    for (const event of eventsOf(part, id, bytes))
      if (!events.has(event.eventId)) events.set(event.eventId, event)
  }
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

function eventsOf(part: AttachedPart, id: string, bytes: Buffer): CalendarEvent[] {
  const { method = part.method?.toUpperCase(), entries } = parseCalendar(
    decodeText(bytes, part.charset),
  )
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
