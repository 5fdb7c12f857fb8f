import { listMailboxes, operations } from '@posthorn/contracts'
import { type AskDeps, askWorker } from '../ask-worker.ts'
import { handle } from '../handle.ts'

export function onListMailboxes(deps: AskDeps) {
  return handle(operations.listMailboxes, async (input) => {
    const { account } = input.params
    const counters = input.query.counters ?? false
    return askWorker(deps, input, [listMailboxes, { account, counters }])
  })
}
