import type { MessageContent } from '@posthorn/contracts/schemas/content'
import { check } from '@posthorn/contracts/validate'
import { parseJsonBody } from '@posthorn/http/parse-json'
import { LinkKey, type Tracking, trackHtml } from '@posthorn/links'
import {
  assertHeaderEnvelope,
  composeMessage,
  prepareStoredMessage,
  prepareUpload,
} from '@posthorn/mime'
import { define, lengthOf } from './define.ts'

/*
 * Readings of large requests and of the messages that they contain: parsing, validating and
 * composing take up to 100 ns per byte. Such requests are the caller's own content, so no part of
 * them is left out beyond a limit.
 */

/**
 * Maximum size in bytes of a message that is read in the calling thread, which takes at most 10 ms.
 */
const smallMessage = 65_536
/**
 * Maximum total size in bytes of attachments that are encoded in the calling thread. Encoding takes
 * 10 ns per byte.
 */
const smallAttachments = 524_288
/**
 * Maximum CPU time for reading a request, as a multiple of the maximum for reading a message. The
 * largest request body takes five times as long as the largest part of a foreign message.
 */
const timeoutFactor = 5

interface RequestBody {
  bytes: Uint8Array
  /** Id of the API operation to whose schema the request body has to conform. */
  operation: string
  maxValues: number
}

interface Composition {
  content: MessageContent
  options: Parameters<typeof composeMessage>[1]
  /** If present, links in the HTML of the composed message are rewritten for tracking. */
  tracking?: Tracking
}

/** Readings (functions that read foreign content) of API requests, by name. */
export const requestReadings = {
  body: define({
    read: readRequestBody,
    // Callers of the message reader parse small request bodies themselves, so all request bodies
    // that the reader gets are large.
    isSmall: () => false,
    timeoutFactor,
    tooLong: 'The request takes too long to read',
  }),
  compose: define({
    read: compose,
    isSmall: isSmallComposition,
    timeoutFactor,
    tooLong: 'The message takes too long to compose',
  }),
  prepare: define({
    read: ([bytes, options]: [Uint8Array, Parameters<typeof prepareStoredMessage>[1]]) =>
      prepareStoredMessage(bufferOf(bytes), options),
    isSmall: ([bytes, { content }]) => bytes.length + contentLength(content ?? {}) <= smallMessage,
    timeoutFactor,
    tooLong: 'The message takes too long to read',
  }),
  upload: define({
    read: ({ bytes, references }: { bytes: Uint8Array } & UploadReferences) =>
      prepareUpload(bufferOf(bytes), references),
    isSmall: ({ bytes }) => bytes.length <= smallMessage,
    timeoutFactor,
    tooLong: 'The message takes too long to read',
  }),
  headerEnvelope: define({
    read: ({ mime, envelope }: { mime: Uint8Array; envelope: HeaderEnvelope }) =>
      assertHeaderEnvelope(bufferOf(mime), envelope),
    isSmall: ({ mime }) => mime.length <= smallMessage,
    timeoutFactor,
    tooLong: 'The message takes too long to read',
  }),
}

interface UploadReferences {
  references?: Parameters<typeof prepareUpload>[1]
}
type HeaderEnvelope = Parameters<typeof assertHeaderEnvelope>[1]

/**
 * Parses and validates the request body of an API operation.
 *
 * @throws AppError `invalid` with `fields`
 */
async function readRequestBody({ bytes, operation: id, maxValues }: RequestBody): Promise<unknown> {
  // The schemas of the API operations are loaded when the first request is read: the schemas take
  // 10 MB of memory, and sync-worker reads no requests.
  const { operations } = await import('@posthorn/contracts/operations')
  const { body } = operations[id as keyof typeof operations] as {
    body?: Parameters<typeof check>[0]
  }
  const value = parseJsonBody(bufferOf(bytes), maxValues)
  return body ? check(body, value) : value
}

async function compose({ content, options, tracking }: Composition) {
  const html =
    content.html !== undefined && tracking
      ? trackHtml(content.html, { ...tracking, key: keyOf(tracking.key) })
      : content.html
  return composeMessage(html === undefined ? content : { ...content, html }, options)
}

/**
 * Converts the link key for tracking back to a LinkKey. In a reader process, the key arrives as a
 * plain object with its secret.
 */
function keyOf(key: LinkKey): LinkKey {
  return key instanceof LinkKey ? key : new LinkKey(bufferOf((key as LinkKey).secret))
}

function isSmallComposition({ content, options: { attached = [] } }: Composition): boolean {
  const encoded = lengthOf((content.attachments ?? []).map((part) => part.content))
  const bytes = attached.reduce((sum, part) => sum + part.content.length, encoded)
  return contentLength(content) <= smallMessage && bytes <= smallAttachments
}

/**
 * Total number of characters in the texts, the headers and the subject of a message. The request
 * schema limits all other members.
 */
function contentLength({ text, html, subject, headers = {} }: MessageContent): number {
  return lengthOf([text, html, subject, ...Object.values(headers).flat()])
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}
