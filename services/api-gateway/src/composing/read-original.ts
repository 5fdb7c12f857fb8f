import { getMessage, type MessageDetail, type Reference } from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import { type WorkerDeps, type WorkerCall, callWorker } from '../http/call-worker.ts'

/**
 * The message that is referred to; undefined where there is none and that does not matter.
 *
 * @throws AppError `not-found` `MessageNotFound`, unless `ignoreMissing`
 */
export async function readOriginal(
  deps: WorkerDeps,
  asked: WorkerCall,
  { message = '', messageId, inline = false, ignoreMissing = false }: Reference,
): Promise<MessageDetail | undefined> {
  const { account } = asked.params
  // The text of the original goes into ours as HTML: nothing in it may run there.
  const text = inline ? { webSafeHtml: true, embedAttachedImages: false } : {}
  try {
    const found = await callWorker(deps, asked, [getMessage, { account, message, ...text }])
    if (messageId !== undefined && bare(messageId) !== bare(found.messageId))
      throw messageNotFound()
    return found
  } catch (error) {
    const missing = error instanceof AppError && error.code === 'MessageNotFound'
    if (missing && ignoreMissing) return undefined
    throw error
  }
}

function bare(messageId = ''): string {
  return messageId.trim().replace(/^<|>$/g, '')
}

export function messageNotFound(): AppError {
  return new AppError('not-found', 'The message does not exist', { code: 'MessageNotFound' })
}
