import { fieldError, validationError, operations, updateMailbox } from '@posthorn/contracts'
import { type AskDeps, askWorker } from '../ask-worker.ts'
import { handle } from '../handle.ts'
import { assertLength } from './path-length.ts'

export function onUpdateMailbox(deps: AskDeps) {
  return handle(operations.updateMailbox, async (input) => {
    const { newPath, subscribed } = input.body
    if (newPath === undefined && subscribed === undefined)
      throw validationError([fieldError('newPath', 'or "subscribed" is required')])
    if (newPath !== undefined) assertLength('newPath', newPath)
    return askWorker(deps, input, [updateMailbox, { account: input.params.account, ...input.body }])
  })
}
