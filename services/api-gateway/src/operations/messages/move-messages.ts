import { moveMessages, operations } from '@posthorn/contracts'
import { type WorkerDeps, callWorker } from '../../http/call-worker.ts'
import { handle } from '../../http/route.ts'

export function onMoveMessages(deps: WorkerDeps) {
  return handle(operations.moveMessages, async (input) => {
    const { account } = input.params
    const { search, path: destination } = input.body
    return callWorker(deps, input, [
      moveMessages,
      { account, path: input.query.path, search, destination },
    ])
  })
}
