/** API operations that access tokens can call, as `build/contract-lists.js` lists them. */
declare module 'virtual:token-operations' {
  import type { TokenOperation } from '@posthorn/contracts/admin/token-operations'

  export const list: readonly TokenOperation[]
}
