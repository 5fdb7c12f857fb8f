import { applyReference, decodeText, parseCalendar } from '@posthorn/mime'
import { readReport } from '@posthorn/reports'
import { define, type Reading } from './define.ts'
import { countReferences, embedImages, type EmbeddedImages } from './images.ts'
import { requestReadings } from './requests.ts'
import { type EncodedTexts, readPlainStart, readSummaryText, readTexts } from './texts.ts'
import type { EncodedText, ReadText } from './texts.ts'

/**
 * Maximum size of a text that is read in the calling thread, in bytes or characters. Applies to
 * texts that are only decoded, copied or searched, which takes 40 ns per byte.
 */
const smallText = 65_536
/**
 * Maximum size of markup that is read in the calling thread, in characters. Reading markup takes up
 * to 1 µs per character.
 */
const smallMarkup = 4_096

type Calendar = Omit<EncodedText, 'isTruncated'>
export type ParsedCalendar = ReturnType<typeof parseCalendar>
type Quote = Parameters<typeof applyReference>

/** Readings (functions that read foreign content) of messages and requests, by name. */
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
    // Calendars are always read in a separate process. Even a few bytes of an invitation can
    // describe time zones for many years, which take long to expand.
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

/** Function that reads one part of a message or request in the way that the given name selects. */
export type ReadPart = <Name extends ReadingName>(
  name: Name,
  input: ReadingInput<Name>,
) => Promise<ReadingOutput<Name>>

/**
 * Returns the reading (function that reads foreign content) with the given name. The types of its
 * input and output depend on the name.
 */
export function getReading<Name extends ReadingName>(
  name: Name,
): Reading<ReadingInput<Name>, ReadingOutput<Name>> {
  return readings[name] as unknown as Reading<ReadingInput<Name>, ReadingOutput<Name>>
}

/** Reads a part of a message in the calling thread, even if this takes long. */
export const readInline: ReadPart = async (name, input) =>
  (await getReading(name).read(input)) as never

function bytesOf(parts: readonly { bytes: Uint8Array }[]): number {
  return parts.reduce((sum, { bytes }) => sum + bytes.length, 0)
}
