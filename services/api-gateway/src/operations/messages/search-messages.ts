import { fieldError, validationError, operations, searchMessages } from '@posthorn/contracts'
import { type AskDeps, askWorker } from '../ask-worker.ts'
import { handle } from '../handle.ts'

export function onSearchMessages(deps: AskDeps) {
  return handle(operations.searchMessages, async (input) => {
    const { account } = input.params
    const { path, page = 0, pageSize = 20, cursor } = input.query
    // IMAP searches one folder at a time.
    if (path === undefined) throw validationError([fieldError('path', 'is required')])
    const { search } = input.body
    const paging = { page, pageSize, ...(cursor === undefined ? {} : { cursor }) }
    return askWorker(deps, input, [searchMessages, { account, path, search, ...paging }])
  })
}
