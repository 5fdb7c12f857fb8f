import { listMessages, operations } from '@posthorn/contracts'
import { type AskDeps, askWorker } from '../ask-worker.ts'
import { handle } from '../handle.ts'

export function onListMessages(deps: AskDeps) {
  return handle(operations.listMessages, async (input) => {
    const { account } = input.params
    const { path, page = 0, pageSize = 20, cursor } = input.query
    const request = { account, path, page, pageSize, ...(cursor === undefined ? {} : { cursor }) }
    return askWorker(deps, input, [listMessages, request])
  })
}
