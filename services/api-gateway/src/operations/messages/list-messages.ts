import { listMessages, operations } from '@posthorn/contracts'
import { type WorkerDeps, callWorker } from '../../http/call-worker.ts'
import { handle } from '../../http/route.ts'

export function onListMessages(deps: WorkerDeps) {
  return handle(operations.listMessages, async (input) => {
    const { account } = input.params
    const { path, page = 0, pageSize = 20, cursor } = input.query
    const request = { account, path, page, pageSize, ...(cursor === undefined ? {} : { cursor }) }
    return callWorker(deps, input, [listMessages, request])
  })
}
