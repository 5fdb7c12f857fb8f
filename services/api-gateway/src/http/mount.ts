import type { Operation } from '@posthorn/contracts/define'
import { check } from '@posthorn/contracts/validate'
import type { MinuteCounter, SettingsCache } from '@posthorn/db'
import { assertText, parseJsonBody, readJsonBytes } from '@posthorn/http'
import type { MessageReader, ReadPart } from '@posthorn/message-reader'
import type { Router, Request, Response } from 'express'
import type { AuthorizedRequest, Authorizer } from '../access/authorizer.ts'
import type { Caller } from '../access/authenticate.ts'
import type { OperationHandler } from './handle.ts'
import {
  createHeaderReader,
  type DeclaredHeaders,
  type HeaderReader,
  withSentNames,
} from './header-alias.ts'
import { disconnectSignal, isClientDisconnect, respond } from './respond.ts'
import { type UploadBody, UploadMemory } from './body-memory.ts'

/** Limits of API request bodies, except for operations that take uploads. */
const defaultLimits = { maxBytes: 1024 * 1024, maxValues: 20_000 }
/**
 * Maximum JSON values in the body of an upload: 1,000 recipients of a mail merge with 40 parameters
 * each. Parsing and checking that number of values takes 100 ms.
 */
const maxUploadValues = 50_000
/**
 * Maximum size of a request body that is parsed in this process. Parsing a larger body may block
 * the process for 100 ms.
 */
const smallBody = 128 * 1024

export interface MountOptions {
  authorizer: Authorizer
  maxUploadBytes: number
  /** Reader that parses large request bodies in a separate process. */
  reader: Pick<MessageReader, 'forAccount'>
  /** Period in which a large request body must make progress. */
  stallMs: number
  /**
   * Counter of HTTP responses. A response counts once it is sent or its client has disconnected.
   */
  counter: Pick<MinuteCounter, 'count'>
  settings: Pick<SettingsCache, 'get'>
}

/**
 * Mounts API operations on their paths. For each request: authorize, read the input, run the
 * handler, respond.
 */
export function mountOperations(
  router: Router,
  handlers: readonly OperationHandler[],
  { authorizer, counter, ...options }: MountOptions,
): void {
  const { reader, settings } = options
  const uploads = new UploadMemory(options)
  const context = { uploads, reader, readHeaders: createHeaderReader(settings) }
  for (const handler of handlers) {
    router[handler.operation.method](handler.operation.path, async (request, response) => {
      response.once('close', () => {
        counter.count(`apiCall:${response.statusCode < 400 ? 'success' : 'fail'}`)
      })
      try {
        const authorized = await authorizer(handler.operation, request, response)
        await runHandler(handler, context, { ...authorized, request, response })
      } catch (error) {
        if (isClientDisconnect(response, error)) return
        throw error
      }
    })
  }
}

interface MountContext extends Pick<MountOptions, 'reader'> {
  uploads: UploadMemory
  readHeaders: HeaderReader
}

interface Exchange extends AuthorizedRequest {
  request: Request
  response: Response
}

async function runHandler(
  { operation, run }: OperationHandler,
  { uploads, reader, readHeaders }: MountContext,
  { request, response, caller, settled, assertInput }: Exchange,
): Promise<void> {
  try {
    const signal = disconnectSignal(response)
    const owner = ownerOf(request, caller)
    using upload = await uploads.open({ operation, request, owner, signal })
    const read = reader.forAccount(owner, signal)
    const limits = { maxBytes: uploads.maxBytes, upload, read }
    const declared = await readHeaders(operation, request.headers)
    const input = await readInput(operation, request, { ...limits, declared })
    assertInput?.(input)
    // Skips API requests whose client has disconnected. After a pause of the process, this may be
    // true for all waiting requests.
    if (signal.aborted) return
    const result = await run({ ...input, caller, signal } as never)
    settled()
    await respond(operation, response, result)
  } catch (error) {
    settled(error)
    throw error
  }
}

/**
 * Owner of the memory that a request body takes: the account of the request, else its token or IP
 * address.
 */
function ownerOf({ params }: Request, { token, address }: Caller): string {
  const { account } = params
  if (typeof account === 'string') return `account ${account}`
  return token ? `token ${token.id}` : `address ${address}`
}

/**
 * Returns the validated parts of an API request. The body is read last, so that an earlier error
 * leaves the body unread.
 */
async function readInput(
  operation: Operation,
  request: Request,
  { declared, ...limits }: UploadLimits & { declared: DeclaredHeaders },
) {
  const params = checkText(operation.params, request.params)
  const { access_token: _token, ...rest } = request.query
  const query = checkText(operation.query, rest)
  const headers = withSentNames(declared, () => checkText(operation.headers, declared.values))
  return { params, query, headers, body: await readBody(operation, request, limits) }
}

/**
 * Validates the path parameters, query or headers of a request, which arrive as text. Ignores input
 * for which the operation has no schema.
 */
function checkText(schema: Operation['params'], input: object): unknown {
  if (schema === undefined) return undefined
  const part = { ...input }
  for (const text of Object.values(part).flat()) assertText(String(text))
  return check(schema, part, 'text')
}

interface UploadLimits {
  /** Maximum size of the request body of an operation that takes uploads. */
  maxBytes: number
  /** Memory reservation for the request body. Undefined for a small body. */
  upload: UploadBody | undefined
  /**
   * Function that parses a large request body in a separate process, on behalf of the body's owner.
   */
  read: ReadPart
}

async function readBody(
  operation: Operation,
  request: Request,
  { maxBytes, upload, read }: UploadLimits,
): Promise<unknown> {
  const { id, body: schema, bodyLimit, optionalBody } = operation
  if (schema === undefined) return undefined
  const limits = bodyLimit === 'upload' ? { maxBytes, maxValues: maxUploadValues } : defaultLimits
  const bytes = await readJsonBytes(request, limits.maxBytes, upload)
  upload?.complete()
  const { maxValues } = limits
  if (bytes && bytes.length > smallBody) return read('body', { bytes, operation: id, maxValues })
  const body = bytes && parseJsonBody(bytes, maxValues)
  return check(schema, body === undefined && optionalBody ? {} : body)
}
