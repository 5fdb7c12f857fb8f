import { listMailboxes, operations } from '@posthorn/contracts'
import { type WorkerDeps, callWorker } from '../../http/call-worker.ts'
import { handle } from '../../http/route.ts'

export function onListMailboxes(deps: WorkerDeps) {
  return handle(operations.listMailboxes, async (input) => {
    const { account } = input.params
    const counters = input.query.counters ?? false
    return callWorker(deps, input, [listMailboxes, { account, counters }])
  })
}
