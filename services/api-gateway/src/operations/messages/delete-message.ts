import { deleteMessage, operations } from '@posthorn/contracts'
import { type AskDeps, askWorker } from '../ask-worker.ts'
import { handle } from '../handle.ts'

export function onDeleteMessage(deps: AskDeps) {
  return handle(operations.deleteMessage, async (input) => {
    const { force = false } = input.query
    return askWorker(deps, input, [deleteMessage, { ...input.params, force }])
  })
}
