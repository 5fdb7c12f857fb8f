import type { CreateMailboxInput, UpdateMailboxInput } from '@posthorn/client'
import { createMailbox, deleteMailbox, updateMailbox } from '@posthorn/client/operations'
import { calls } from './query-client.ts'

/** Calls that change the mailboxes of an account. */
export const mailboxActions = {
  create: ({ account, ...body }: { account: string } & CreateMailboxInput['body']) =>
    createMailbox(calls.api, { account, body }),
  update: ({ account, ...body }: { account: string } & UpdateMailboxInput['body']) =>
    updateMailbox(calls.api, { account, body }),
  remove: ({ account, path }: { account: string; path: string }) =>
    deleteMailbox(calls.api, { account, path }),
}
