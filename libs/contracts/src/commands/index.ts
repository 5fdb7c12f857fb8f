import * as account from './account.ts'
import * as credentials from './credentials.ts'

export * from './account.ts'
export * from './credentials.ts'

/** Commands that the holder of an account's shard answers. */
export const accountCommands = account
export const credentialQueries = {
  getCredentials: credentials.getCredentials,
  getServiceSecret: credentials.getServiceSecret,
}
