import { fieldError, validationError, operations, updateMailbox } from '@posthorn/contracts'
import { type WorkerDeps, callWorker } from '../../http/call-worker.ts'
import { handle } from '../../http/route.ts'
import { assertLength } from './path-length.ts'

export function onUpdateMailbox(deps: WorkerDeps) {
  return handle(operations.updateMailbox, async (input) => {
    const { newPath, subscribed } = input.body
    if (newPath === undefined && subscribed === undefined)
      throw validationError([fieldError('newPath', 'or "subscribed" is required')])
    if (newPath !== undefined) assertLength('newPath', newPath)
    return callWorker(deps, input, [
      updateMailbox,
      { account: input.params.account, ...input.body },
    ])
  })
}
