import { createMailbox, operations } from '@posthorn/contracts'
import { type WorkerDeps, callWorker } from '../../http/call-worker.ts'
import { handle } from '../../http/route.ts'
import { assertLength } from './path-length.ts'

export function onCreateMailbox(deps: WorkerDeps) {
  return handle(operations.createMailbox, async (input) => {
    const { path } = input.body
    assertLength('path', path)
    return callWorker(deps, input, [createMailbox, { account: input.params.account, path }])
  })
}
