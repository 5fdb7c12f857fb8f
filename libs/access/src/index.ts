export { addressAllowed } from './address-ranges.ts'
export {
  checkToken,
  findUsableToken,
  type ProxyTokenUse,
  type TokenRejection,
} from './check-token.ts'
export { addressOf, mayScrape } from './client-address.ts'
export { isExpired } from './is-expired.ts'
export {
  type CountedRequest,
  countRequest,
  countRequests,
  type TokenWindow,
} from './store/token-windows.ts'
export { listTokens, markTokenUsed, type TokenRow } from './store/tokens.ts'
export {
  auditProxyLogin,
  startTokenLog,
  type TokenLog,
  type TokenLogEntry,
  type TokenLogOptions,
} from './token-log.ts'
