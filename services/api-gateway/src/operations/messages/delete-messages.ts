import { deleteMessages, operations } from '@posthorn/contracts'
import { type WorkerDeps, callWorker } from '../../http/call-worker.ts'
import { handle } from '../../http/route.ts'

export function onDeleteMessages(deps: WorkerDeps) {
  return handle(operations.deleteMessages, async (input) => {
    const { account } = input.params
    const { path, force = false } = input.query
    const { search } = input.body
    return callWorker(deps, input, [deleteMessages, { account, path, search, force }])
  })
}
