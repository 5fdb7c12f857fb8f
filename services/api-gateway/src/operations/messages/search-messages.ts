import { fieldError, validationError, operations, searchMessages } from '@posthorn/contracts'
import { type WorkerDeps, callWorker } from '../../http/call-worker.ts'
import { handle } from '../../http/route.ts'

export function onSearchMessages(deps: WorkerDeps) {
  return handle(operations.searchMessages, async (input) => {
    const { account } = input.params
    const { path, page = 0, pageSize = 20, cursor } = input.query
    // IMAP searches one folder at a time.
    if (path === undefined) throw validationError([fieldError('path', 'is required')])
    const { search } = input.body
    const paging = { page, pageSize, ...(cursor === undefined ? {} : { cursor }) }
    return callWorker(deps, input, [searchMessages, { account, path, search, ...paging }])
  })
}
