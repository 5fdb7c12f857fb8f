import { deleteMailbox, operations } from '@posthorn/contracts'
import { type WorkerDeps, callWorker } from '../../http/call-worker.ts'
import { handle } from '../../http/route.ts'

export function onDeleteMailbox(deps: WorkerDeps) {
  return handle(operations.deleteMailbox, async (input) => {
    const { account } = input.params
    return callWorker(deps, input, [deleteMailbox, { account, path: input.query.path }])
  })
}
