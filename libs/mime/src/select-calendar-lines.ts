/**
 * Names of iCalendar properties that are kept when a calendar is reduced. Parameters are kept only
 * for times, because they contain the time zone.
 */
const times = new Set(['DTSTART', 'DTEND', 'RECURRENCE-ID', 'RDATE'])
const others = new Set(
  'DURATION METHOD ORGANIZER RRULE TZID TZOFFSETFROM TZOFFSETTO UID VERSION'.split(' '),
)
const texts = new Set(['DESCRIPTION', 'SUMMARY'])
const components = new Set(['VCALENDAR', 'VEVENT', 'VTIMEZONE', 'STANDARD', 'DAYLIGHT'])

/**
 * Maximum number of lines that are kept of an iCalendar object. An invitation has about 30 such
 * lines, a recurring event with 100 changed instances 1,000.
 */
const maxLines = 5_000
/**
 * Maximum length of a line that is kept of an iCalendar object, except for texts. Longer lines are
 * removed.
 */
const maxLineLength = 1_000

/**
 * Reduces an iCalendar object to the lines that `parseCalendar` needs, without folding. The lines
 * are selected because the parser's time grows with the square of the number of parameters per
 * line, and because attachments may be large. Undefined if too many lines remain. Takes linear
 * time.
 */
export function selectCalendarLines(text: string, maxText: number): string | undefined {
  const selected: string[] = []
  let ignored = 0 // open iCalendar components that are not read
  // A line of an iCalendar object that starts with white space continues the previous line of the
  // object (RFC 5545 §3.1).
  for (const line of text.replace(/\r?\n[ \t]/g, '').split(/\r?\n/)) {
    const { name, parameters, value } = splitLine(line)
    if (name === 'BEGIN' && (ignored > 0 || !components.has(value.trim().toUpperCase()))) ignored++
    else if (name === 'END' && ignored > 0) ignored--
    else if (ignored === 0) {
      const kept = selectLine({ name, parameters, value }, maxText)
      if (kept !== undefined) selected.push(kept)
    }
    if (selected.length > maxLines) return undefined
  }
  return selected.join('\r\n')
}

interface CalendarLine {
  name: string
  parameters: string
  value: string
}

/**
 * In iCalendar, a colon inside a quoted parameter value does not end the parameters (RFC 5545
 * §3.1).
 */
const separators = /[":;]/g

function splitLine(line: string): CalendarLine {
  let isQuoted = false
  let end = -1
  separators.lastIndex = 0
  for (let match = separators.exec(line); match; match = separators.exec(line)) {
    if (match[0] === '"') isQuoted = !isQuoted
    if (isQuoted) continue
    if (end === -1 && match[0] === ';') end = match.index
    if (match[0] === ':')
      return toLine(line, { end: end === -1 ? match.index : end, colon: match.index })
  }
  return { name: '', parameters: '', value: '' }
}

function toLine(line: string, { end, colon }: { end: number; colon: number }): CalendarLine {
  const name = line.slice(0, Math.min(end, 20)).trim().toUpperCase()
  return { name, parameters: line.slice(end, colon), value: line.slice(colon + 1) }
}

function selectLine({ name, parameters, value }: CalendarLine, maxText: number) {
  if (name === 'BEGIN' || name === 'END') return `${name}:${value.trim()}`
  // Twice the maximum number of characters of a calendar text is kept, because an escaped character
  // takes two characters.
  if (texts.has(name)) return `${name}:${value.slice(0, 2 * maxText)}`
  if (parameters.length + value.length > maxLineLength) return undefined
  if (times.has(name)) return `${name}${parameters}:${value}`
  return others.has(name) ? `${name}:${value}` : undefined
}
