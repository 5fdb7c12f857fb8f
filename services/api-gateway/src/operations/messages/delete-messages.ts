import { deleteMessages, operations } from '@posthorn/contracts'
import { type AskDeps, askWorker } from '../ask-worker.ts'
import { handle } from '../handle.ts'

export function onDeleteMessages(deps: AskDeps) {
  return handle(operations.deleteMessages, async (input) => {
    const { account } = input.params
    const { path, force = false } = input.query
    const { search } = input.body
    return askWorker(deps, input, [deleteMessages, { account, path, search, force }])
  })
}
