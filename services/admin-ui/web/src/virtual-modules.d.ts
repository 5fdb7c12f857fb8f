/** Members of the payloads of events, as `build/contract-lists.js` lists them. */
declare module 'virtual:payload-members' {
  import type { PayloadMembers } from '@posthorn/contracts/openapi/payload-members'

  export const list: Readonly<Record<string, PayloadMembers>>
}

/** API operations that access tokens can call, as `build/contract-lists.js` lists them. */
declare module 'virtual:token-operations' {
  import type { TokenOperation } from '@posthorn/contracts/admin/token-operations'

  export const list: readonly TokenOperation[]
}
