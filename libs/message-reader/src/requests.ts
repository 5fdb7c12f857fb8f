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

/** Maximum bytes of a message that is read in the calling thread: takes at most 10 ms. */
const smallMessage = 65_536
/** Maximum bytes of attachments that are encoded in the calling thread: 10 ns each. */
const smallAttachments = 524_288
/**
 * CPU time of reading a request as a multiple of reading a message: the largest body takes five
 * times as long as the largest part of a foreign message.
 */
const timeoutFactor = 5

interface RequestBody {
  bytes: Uint8Array
  /** Id of the API operation whose schema the request body has. */
  operation: string
  maxValues: number
}

interface Composition {
  content: MessageContent
  options: Parameters<typeof composeMessage>[1]
  /** Links in the HTML of the message to rewrite for tracking, if any. */
  tracking?: Tracking
}

/** Readings of API requests by name. */
export const requestReadings = {
  body: define({
    read: readRequestBody,
    // Callers parse small request bodies themselves.
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
  // The schemas of the API operations are loaded on first use: they take 10 MB, and sync-worker
  // reads no requests.
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

/** Link key of tracking, which arrives in a reader process as an object with its secret. */
function keyOf(key: LinkKey): LinkKey {
  return key instanceof LinkKey ? key : new LinkKey(bufferOf((key as LinkKey).secret))
}

function isSmallComposition({ content, options: { attached = [] } }: Composition): boolean {
  const encoded = lengthOf((content.attachments ?? []).map((part) => part.content))
  const bytes = attached.reduce((sum, part) => sum + part.content.length, encoded)
  return contentLength(content) <= smallMessage && bytes <= smallAttachments
}

/**
 * Characters of texts, headers and the subject of a message. The schema limits the other members.
 */
function contentLength({ text, html, subject, headers = {} }: MessageContent): number {
  return lengthOf([text, html, subject, ...Object.values(headers).flat()])
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}
