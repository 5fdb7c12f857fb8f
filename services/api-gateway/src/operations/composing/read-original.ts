import { getMessage, type MessageDetail, type Reference } from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import { type AskDeps, type Asked, askWorker } from '../ask-worker.ts'

/**
 * The message that is referred to; undefined where there is none and that does not matter.
 *
 * @throws AppError `not-found` `MessageNotFound`, unless `ignoreMissing`
 */
export async function readOriginal(
  deps: AskDeps,
  asked: Asked,
  { message = '', messageId, inline = false, ignoreMissing = false }: Reference,
): Promise<MessageDetail | undefined> {
  const { account } = asked.params
  // The text of the original goes into ours as HTML: nothing in it may run there.
  const text = inline ? { webSafeHtml: true, embedAttachedImages: false } : {}
  try {
    const found = await askWorker(deps, asked, [getMessage, { account, message, ...text }])
    if (messageId !== undefined && bare(messageId) !== bare(found.messageId)) throw isMissing()
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

export function isMissing(): AppError {
  return new AppError('not-found', 'The message does not exist', { code: 'MessageNotFound' })
}
