import { deleteMessage, operations } from '@posthorn/contracts'
import { type WorkerDeps, callWorker } from '../../http/call-worker.ts'
import { handle } from '../../http/route.ts'

export function onDeleteMessage(deps: WorkerDeps) {
  return handle(operations.deleteMessage, async (input) => {
    const { force = false } = input.query
    return callWorker(deps, input, [deleteMessage, { ...input.params, force }])
  })
}
