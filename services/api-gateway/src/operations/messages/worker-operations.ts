import { moveMessages, updateMessage } from '@posthorn/contracts/commands/message-changes'
import { getAttachment, searchMessages } from '@posthorn/contracts/commands/messages'
import type { Command, CommandRequest, OperationInput } from '@posthorn/contracts/define'
import { defined } from '@posthorn/contracts/defined'
import { fieldError } from '@posthorn/contracts/describe-error'
import {
  type ForwardedOperation,
  isForwarded,
  toCommandRequest,
} from '@posthorn/contracts/forwarding'
import { allOperations, operations } from '@posthorn/contracts/operations'
import type { FlagUpdate } from '@posthorn/contracts/schemas/flag-update'
import { validationError } from '@posthorn/contracts/validate'
import { assertPermitted } from '../../access/authorize.ts'
import {
  callWorker,
  streamFromWorker,
  type WorkerCall,
  type WorkerDeps,
} from '../../http/call-worker.ts'
import {
  handle,
  handleStream,
  type OperationHandler,
  type RequestContext,
} from '../../http/handle.ts'
import { attachmentHeaders, sourceHeaders } from './attachment-headers.ts'

/** Operations on mailboxes and messages, which the worker of the account serves. */
export function workerHandlers(deps: WorkerDeps): OperationHandler[] {
  return [
    ...allOperations.filter(isForwarded).map((operation) => forward(deps, operation)),
    handle(operations.updateMessage, async (input) => {
      assertFlagUpdate(input.body)
      return callWorker(deps, input, [updateMessage, { ...input.params, update: input.body }])
    }),
    handle(operations.moveMessages, async (input) => {
      const { account } = input.params
      const { search, path: destination } = input.body
      const request = { account, path: input.query.path, search, destination }
      return callWorker(deps, input, [moveMessages, request])
    }),
    handle(operations.searchMessages, async (input) => {
      const { path, page = 0, pageSize = 20, cursor, useOutlookSearch } = input.query
      const options = defined({ path, page, pageSize, cursor, useOutlookSearch })
      const request = { ...input.params, ...options, search: input.body.search }
      return callWorker(deps, input, [searchMessages, request])
    }),
    handleStream(operations.getAttachment, async (input) => {
      const { response, body } = await streamFromWorker(deps, input, [getAttachment, input.params])
      return { headers: attachmentHeaders(response), body }
    }),
  ]
}

type ForwardedCall = WorkerCall & { query?: object; body?: object }

/** Handler of an API operation whose contract declares the worker command that serves it. */
function forward(deps: WorkerDeps, operation: ForwardedOperation): OperationHandler {
  const assertValid = (checks as Partial<Record<string, (input: object) => void>>)[operation.id]
  const implied = (impliedOptions as Partial<Record<string, (input: object) => object>>)[
    operation.id
  ]
  const { command } = operation
  return {
    operation,
    run: async (input: ForwardedCall) => {
      assertValid?.(input)
      const request = {
        ...toCommandRequest(operation, input),
        ...implied?.(input),
      } as CommandRequest<Command>
      if (command.streams) {
        const streamed = await streamFromWorker(deps, input, [command, request])
        const { message } = input.params as { message?: string }
        return message === undefined ? streamed : { ...streamed, headers: sourceHeaders(message) }
      }
      return callWorker(deps, input, [command, request])
    },
  }
}

type Checks = {
  [K in keyof typeof operations]?: (
    input: OperationInput<(typeof operations)[K]> & RequestContext,
  ) => void
}

/**
 * Checks of API operations that their schemas cannot express. The operations are forwarded to a
 * worker.
 */
const checks: Checks = {
  createMailbox: ({ body }) => assertPathLength('path', body.path),
  updateMailbox: ({ body: { newPath, subscribed } }) => {
    if (newPath === undefined && subscribed === undefined)
      throw validationError([fieldError('newPath', 'or "subscribed" is required')])
    if (newPath !== undefined) assertPathLength('newPath', newPath)
  },
  getMessage: ({ query, caller }) => {
    if (query.markAsSeen) assertPermitted(caller.token, { action: 'write', group: 'message' })
  },
  updateMessages: ({ body }) => assertFlagUpdate(body.update, 'update.'),
}

/** Additional options of worker commands, which follow from the parameters of the API operation. */
const impliedOptions = {
  getMessage: ({ query }: OperationInput<typeof operations.getMessage>) => {
    const { preProcessHtml, webSafeHtml, textType, embedAttachedImages = false } = query
    const hasHtml = textType === 'html' || textType === '*'
    return preProcessHtml && !webSafeHtml && hasHtml
      ? { webSafeHtml: true, embedAttachedImages }
      : {}
  },
}

/** Maximum characters of a mailbox path with all its levels. */
const maxPathLength = 1024

function assertPathLength(field: string, path: string | readonly string[]): void {
  const length = typeof path === 'string' ? path.length : path.join('/').length
  if (length > maxPathLength)
    throw validationError([
      fieldError(field, `must not have more than ${maxPathLength} characters in all`),
    ])
}

/**
 * Checks a change of message flags or labels. `set` replaces all flags or labels, so `set` excludes
 * `add` and `delete`.
 */
function assertFlagUpdate({ flags, labels }: FlagUpdate, prefix = ''): void {
  const errors = Object.entries({ flags, labels }).flatMap(([name, update]) =>
    update?.set && (update.add ?? update.delete)
      ? [fieldError(`${prefix}${name}.set`, 'cannot be combined with "add" or "delete"')]
      : [],
  )
  if (errors.length > 0) throw validationError(errors)
}
