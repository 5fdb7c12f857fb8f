import {
  createAccount,
  createAuthenticationForm,
  deleteAccount,
  flushAccount,
  getAccount,
  getAutoconfig,
  listAccounts,
  reconnectAccount,
  syncAccount,
  updateAccount,
  verifyAccount,
} from '@posthorn/client/operations'
import type {
  AccountRecord,
  CreateAccountInput,
  GetAutoconfigResult,
  ListAccountsInput,
  ListAccountsResult,
  UpdateAccountInput,
  VerifyAccountInput,
  VerifyAccountResult,
} from '@posthorn/client'
import { accountsKey } from './cache-keys.ts'
import type { Load } from './load-state.ts'
import { calls } from './query-client.ts'
import { type LoadOptions, useLoad } from './use-load.ts'

export type { AccountListEntry, AccountRecord, LastError } from '@posthorn/client'
/** Request that registers an account. */
export type AccountBody = CreateAccountInput['body']
/** Request that tests logins at mail servers. */
export type VerifyBody = VerifyAccountInput['body']
/** Results of the tests of logins at mail servers. */
export type VerifyResult = VerifyAccountResult
/** Request that changes an account. */
export type AccountUpdateBody = UpdateAccountInput['body']

export { accountsKey } from './cache-keys.ts'

/** Loads a page of the list of accounts. */
export function useAccounts(
  input: ListAccountsInput,
  options?: LoadOptions,
): Load<ListAccountsResult> {
  return useLoad([...accountsKey, 'list', input], () => listAccounts(calls.api, input), options)
}

/** Loads the settings and the state of one account. */
export function useAccount(account: string): Load<AccountRecord> {
  return useLoad([...accountsKey, 'one', account], () => getAccount(calls.api, { account }), {
    everyMs: 5_000,
    topic: 'changes',
  })
}

/** Calls that change accounts. */
export const accountActions = {
  add: (body: AccountBody) => createAccount(calls.api, { body }),
  update: (input: UpdateAccountInput) => updateAccount(calls.api, input),
  remove: (account: string) => deleteAccount(calls.api, { account }),
  reconnect: (account: string) =>
    reconnectAccount(calls.api, { account, body: { reconnect: true } }),
  sync: (account: string) => syncAccount(calls.api, { account, body: { sync: true } }),
  flush: (account: string) => flushAccount(calls.api, { account, body: { flush: true } }),
  autoconfig: (email: string): Promise<GetAutoconfigResult> => getAutoconfig(calls.api, { email }),
  verify: (body: VerifyBody) => verifyAccount(calls.api, { body }),
  createLink: (body: { account?: string; email?: string; redirectUrl: string }) =>
    createAuthenticationForm(calls.api, { body }),
}
