export {
  assertAllowed,
  type EgressPolicy,
  egressPolicies,
  type Lookup,
  resolveAllowed,
  type ResolvedAddress,
  type ResolveOptions,
} from './egress.ts'
export type { CallRequest } from './call.ts'
export {
  type CallResult,
  createHttpCaller,
  type HttpCaller,
  type HttpCallerOptions,
} from './http-caller.ts'
export {
  type Endpoint,
  type SocketReader,
  type ConnectedSocket,
  connectSocket,
  type ConnectSocketOptions,
} from './connect-socket.ts'
export { type HttpProxy, proxyFromSettings, type ProxySettings } from './proxy-agents.ts'
export {
  type AddressStrategy,
  isSameAddress,
  findLocalAddress,
  rankAddresses,
} from './local-addresses.ts'
export { type HttpOutcome, outcomeOfStatus } from './outcome.ts'
export { parseProxy, type Proxy, redactProxyUrl } from './proxy.ts'
export { redactUrl, splitCredentials, type SplitUrl } from './url.ts'
