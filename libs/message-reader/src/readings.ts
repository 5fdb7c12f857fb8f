import { applyReference, decodeText, parseCalendar } from '@posthorn/mime'
import { readReport } from '@posthorn/reports'
import { define, type Reading } from './define.ts'
import { countReferences, embedImages, type EmbeddedImages } from './images.ts'
import { requestReadings } from './requests.ts'
import { type EncodedTexts, readPlainStart, readSummaryText, readTexts } from './texts.ts'
import type { EncodedText, ReadText } from './texts.ts'

/**
 * Maximum bytes and characters of small texts that are only decoded, copied or searched: 40 ns
 * each.
 */
const smallText = 65_536
/** Maximum characters of small markup that is read in the calling thread: up to 1 µs each. */
const smallMarkup = 4_096

type Calendar = Omit<EncodedText, 'isTruncated'>
export type ParsedCalendar = ReturnType<typeof parseCalendar>
type Quote = Parameters<typeof applyReference>

/** Readings of messages and requests by name. */
const readings = {
  ...requestReadings,
  texts: define({
    read: readTexts,
    isSmall: ({ plain, html, webSafe }: EncodedTexts) =>
      bytesOf([...plain, ...html]) <= (webSafe ? smallMarkup : smallText),
    degrade: readPlainStart,
  }),
  references: define({
    read: countReferences,
    isSmall: ({ html }) => html.length <= smallText,
    degrade: () => new Map<string, number>(),
  }),
  images: define({
    read: embedImages,
    isSmall: ({ html, plain = '', images }: EmbeddedImages) =>
      html.length + plain.length + bytesOf(images) <= smallText,
    degrade: ({ html }) => html,
  }),
  calendars: define({
    read: (parts: readonly Calendar[]) =>
      parts.map(({ bytes, charset }) => parseCalendar(decodeText(bytes, charset))),
    // Few bytes of an invitation may describe the time zones of many years.
    isSmall: () => false,
    degrade: (): ParsedCalendar[] => [],
  }),
  report: define({
    read: (bytes: Uint8Array) =>
      readReport(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)),
    isSmall: (bytes) => bytes.length <= smallMarkup,
    degrade: () => undefined,
  }),
  summary: define({
    read: readSummaryText,
    isSmall: ({ plain = '', html = '' }: Partial<ReadText>) =>
      html.length <= smallMarkup || plain.slice(0, smallMarkup).trim() !== '',
    degrade: () => '',
  }),
  quote: define({
    read: ([draft, original, options]: Quote) => applyReference(draft, original, options),
    isSmall: ([, { text: { plain = '', html = '' } = {} }, { inline }]: Quote) =>
      !inline || plain.length + html.length <= smallMarkup,
    tooLong: 'The referenced message takes too long to read',
  }),
}

export type ReadingName = keyof typeof readings
export type ReadingInput<Name extends ReadingName> = Parameters<(typeof readings)[Name]['read']>[0]
export type ReadingOutput<Name extends ReadingName> = Awaited<
  ReturnType<(typeof readings)[Name]['read']>
>

/** Function that reads one part of messages or requests by the name of the reading. */
export type ReadPart = <Name extends ReadingName>(
  name: Name,
  input: ReadingInput<Name>,
) => Promise<ReadingOutput<Name>>

/** Finds a reading by its name, with the types of the name. */
export function getReading<Name extends ReadingName>(
  name: Name,
): Reading<ReadingInput<Name>, ReadingOutput<Name>> {
  return readings[name] as unknown as Reading<ReadingInput<Name>, ReadingOutput<Name>>
}

/** Reads a part of a message in the calling thread, whatever the reading costs. */
export const readInline: ReadPart = async (name, input) =>
  (await getReading(name).read(input)) as never

function bytesOf(parts: readonly { bytes: Uint8Array }[]): number {
  return parts.reduce((sum, { bytes }) => sum + bytes.length, 0)
}
