import * as account from './account.ts'
import * as credentials from './credentials.ts'
import * as reading from './reading.ts'
import * as upload from './upload.ts'
import * as search from './search.ts'
import * as upkeep from './upkeep.ts'

export * from './account.ts'
export * from './credentials.ts'
export * from './reading.ts'
export * from './upload.ts'
export * from './search.ts'
export * from './upkeep.ts'

/** Commands that the holder of an account's shard answers. */
export const accountCommands = { ...account, ...reading, ...search, ...upkeep, ...upload }
export const credentialQueries = {
  getCredentials: credentials.getCredentials,
  getServiceSecret: credentials.getServiceSecret,
}
